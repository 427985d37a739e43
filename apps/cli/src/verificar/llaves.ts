import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FalloOrden } from '@acuse/roles/client';
import { z } from 'zod';

const TIMEOUT_MS = 20_000;
const publicadas = z.object({
  llaves: z.array(z.object({ kid: z.string().min(1), algoritmo: z.literal('Ed25519'), publica: z.base64() })),
});

/** Public keys by `kid`. */
export type Llaves = ReadonlyMap<string, KeyObject>;

/**
 * Reads `acuse-manifiesto.json` of an installation from a file or a URL. @throws FalloOrden for anything else, and what
 * reading a file throws.
 */
export async function readLlaves(donde: string): Promise<Llaves> {
  const text = /^https?:\/\//.test(donde) ? await fetchText(donde) : await readFile(donde, 'utf8');
  try {
    const { llaves } = publicadas.parse(JSON.parse(text));
    return new Map(
      llaves.map(({ kid, publica }) => {
        const key = createPublicKey({ key: Buffer.from(publica, 'base64'), format: 'der', type: 'spki' });
        if (key.asymmetricKeyType !== 'ed25519') throw new TypeError(kid);
        return [kid, key];
      }),
    );
  } catch {
    throw new FalloOrden('ORDEN_INVALIDA', `${donde} no es la lista de llaves de un servicio (acuse-manifiesto.json).`);
  }
}

async function fetchText(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return await answer.text();
  } catch (error) {
    const why = (error as Error).message;
    throw new FalloOrden('ORDEN_INVALIDA', `No se pudieron leer las llaves de ${url}: ${why}. Revise la dirección.`);
  }
}
