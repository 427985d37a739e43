import { randomBytes } from 'node:crypto';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateWorkerKeyPair } from '@acuse/vault';

/** What the API, the panel and the workers need to share and to keep, named like their settings. */
export function newSecretos(): Record<string, string> {
  const clave = () => randomBytes(32).toString('base64');
  const pair = generateWorkerKeyPair();
  const psk = clave();
  return {
    API_KEY_PEPPERS: `1:${clave()}`,
    KEYRING: `k1:${clave()}`,
    WORKER_PUBLIC_KEY: `w1:${pair.publicKey}`,
    WORKER_PSK: `p1:${psk}`,
    WORKER_KEYS: `w1:${pair.privateKey}`,
    WORKER_PSKS: `p1:${psk}`,
    SESSION_KEYS: `s1:${clave()}`,
    PANEL_SECRETS: `p1:${clave()}`,
  };
}

/**
 * Writes each secret to a file of its name, readable by its owner only. A folder that already has any of them is left alone, since half of the
 * pairs would no longer fit. Returns the names written.
 */
export async function writeSecretos(
  folder: string,
  secretos: readonly (readonly [string, string])[],
): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name] of secretos) {
    const isThere = await access(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (isThere) return [];
  }
  for (const [name, value] of secretos)
    await writeFile(join(folder, name), value, { mode: 0o600, flag: 'wx' });
  return secretos.map(([name]) => name);
}
