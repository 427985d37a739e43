import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FalloOrden } from '@acuse/roles/client';
import { z } from 'zod';
import { isLocal } from '../cliente/entrar.ts';

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 1_048_576;
const publicadas = z.object({
  llaves: z.array(z.object({ kid: z.string().min(1), algoritmo: z.literal('Ed25519'), publica: z.base64() })),
});

/** Public keys by `kid`. */
export type Llaves = ReadonlyMap<string, KeyObject>;

/**
 * Reads `acuse-manifiesto.json` of an installation from a file or a URL: https, or http on this machine, without redirects,
 * 1 MiB at most. @throws FalloOrden for anything else, and what reading a file throws.
 */
export async function readLlaves(donde: string): Promise<Llaves> {
  const text = /^https?:\/\//i.test(donde) ? await fetchText(donde) : await readFile(donde, 'utf8');
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

async function fetchText(text: string): Promise<string> {
  try {
    const url = new URL(text);
    if (url.protocol !== 'https:' && !isLocal(url)) throw new Error('fuera de esta máquina se leen por https://');
    // A redirect could lead away from https.
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new Error('la respuesta pasa de 1 MiB');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch (error) {
    const why = (error as Error).message;
    throw new FalloOrden('ORDEN_INVALIDA', `No se pudieron leer las llaves de ${text}: ${why}. Revise la dirección.`);
  }
}
