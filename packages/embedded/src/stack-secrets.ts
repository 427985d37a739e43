import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateWorkerKeyPair } from '@acuse/vault';

/** The secrets of an installation, by the name of the setting that takes each. */
export interface StackSecrets {
  readonly API_KEY_PEPPERS: string;
  readonly KEYRING: string;
  readonly WORKER_PUBLIC_KEY: string;
  readonly WORKER_KEYS: string;
  readonly WORKER_PSK: string;
  readonly WORKER_PSKS: string;
  readonly SESSION_KEYS: string;
  readonly PANEL_SECRETS: string;
  readonly S3_ACCESS_KEY_ID: string;
  readonly S3_SECRET_ACCESS_KEY: string;
}

const FILE = 'secretos.json';

/**
 * The secrets kept in a folder, made at the first time: one file (mode 0600) that appears whole, so that the pairs in it always fit.
 * Losing it is losing the credentials that are stored under it.
 */
export async function ensureSecrets(dir: string): Promise<StackSecrets> {
  await mkdir(dir, { recursive: true });
  const path = join(dir, FILE);
  const fresh = JSON.stringify(newSecrets(), null, 2);
  await writeFile(path, fresh, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const kept = JSON.parse(await readFile(path, 'utf8'));
  const missing = LATER.filter((name) => kept[name] === undefined);
  return missing.length === 0 ? kept : addSecrets(path, kept, missing);
}

/** Secrets that stand alone and came with later versions: a folder made before gets them, and the file is replaced whole. */
const LATER = ['SESSION_KEYS', 'PANEL_SECRETS'] as const;

async function addSecrets(
  path: string,
  kept: StackSecrets,
  missing: readonly (typeof LATER)[number][],
): Promise<StackSecrets> {
  const fresh = newSecrets();
  const secrets = { ...kept, ...Object.fromEntries(missing.map((name) => [name, fresh[name]])) };
  await writeFile(`${path}.nuevo`, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  await rename(`${path}.nuevo`, path);
  return secrets;
}

function newSecrets(): StackSecrets {
  const clave = () => randomBytes(32).toString('base64');
  const { publicKey, privateKey } = generateWorkerKeyPair();
  const psk = `p1:${clave()}`;
  return {
    API_KEY_PEPPERS: `1:${clave()}`,
    KEYRING: `k1:${clave()}`,
    WORKER_PUBLIC_KEY: `w1:${publicKey}`,
    WORKER_KEYS: `w1:${privateKey}`,
    WORKER_PSK: psk,
    WORKER_PSKS: psk,
    SESSION_KEYS: `s1:${clave()}`,
    PANEL_SECRETS: `p1:${clave()}`,
    S3_ACCESS_KEY_ID: `acuse-${randomBytes(6).toString('hex')}`,
    S3_SECRET_ACCESS_KEY: clave(),
  };
}
