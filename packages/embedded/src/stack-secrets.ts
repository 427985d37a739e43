import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { changeValores, newSecretos, PROCESOS, readValores, type Valores, writeInstalacion } from '@acuse/vault';

/**
 * The secrets of a stack: one folder for each process with its own alone (files of mode 0600), and all of them in the
 * operator's.
 */
export interface StackSecrets {
  /** As `acuse secretos --carpeta` takes it. */
  readonly carpeta: string;
  readonly valores: Valores;
}

/** The secrets of one process, by the settings that name their files. */
export type ProcessFiles = Readonly<Record<string, string>>;

/** Earlier versions kept all of them here, for every process. */
const EARLIER = 'secretos.json';

/**
 * The secrets kept in `dir`, made at the first time: the folder appears whole, so that the pairs in it always fit. A
 * file of an earlier version is split into the folder, and goes once everything that it had is there. Losing the folder
 * is losing the credentials that are stored under it.
 */
export async function ensureSecrets(dir: string): Promise<StackSecrets> {
  const carpeta = join(dir, 'secretos');
  const earlier = await readEarlier(join(dir, EARLIER));
  const isThere = await readdir(carpeta).then(
    () => true,
    () => false,
  );
  if (!isThere) await makeWhole(carpeta, { ...newSecretos(), ...newStore(), ...earlier });
  const valores = await readValores(carpeta);
  if (earlier && Object.entries(earlier).every(([name, value]) => valores[name] === value))
    await rm(join(dir, EARLIER));
  return { carpeta, valores };
}

/** Keeps addresses that have a password with the secrets of those who use them. */
export async function keepAddresses(
  { carpeta }: StackSecrets,
  addresses: { readonly DATABASE_URL: string; readonly QUEUE_URL: string },
): Promise<void> {
  await changeValores(carpeta, (valores) => ({ ...valores, ...addresses }));
}

/** What a process is told of its secrets: where its own files are, and nothing of any other. */
export function filesOf({ carpeta }: StackSecrets, proceso: keyof typeof PROCESOS): ProcessFiles {
  return Object.fromEntries(PROCESOS[proceso].map((name) => [`${name}_FILE`, join(carpeta, proceso, name)]));
}

async function makeWhole(carpeta: string, valores: Valores): Promise<void> {
  const parts = `${carpeta}.${randomUUID()}`;
  await mkdir(parts, { recursive: true, mode: 0o700 });
  try {
    await writeInstalacion(parts, valores);
    await rename(parts, carpeta);
  } catch (error) {
    await rm(parts, { recursive: true, force: true });
    // Somebody who started at the same time was first.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function readEarlier(path: string): Promise<Valores | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The credential of the embedded store. */
function newStore(): Valores {
  return {
    S3_ACCESS_KEY_ID: `acuse-${randomBytes(6).toString('hex')}`,
    S3_SECRET_ACCESS_KEY: randomBytes(32).toString('base64'),
  };
}
