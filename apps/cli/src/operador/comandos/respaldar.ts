import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, link, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createBoveda, directUrl, noteBackup } from '@acuse/db';
import { AUTOR } from '@acuse/roles/operator';
import { explain, explainPrinted } from '@acuse/runtime';
import type { Command } from 'commander';
import type { CliDeps } from '../deps.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Everything but rights, which `migrar` gives again where the backup is restored, and unlogged tables: in one of them is
 * half of the key of each e.firma, which no backup may keep beyond its hour.
 */
const OPTIONS = ['--format=custom', '--no-privileges', '--no-unlogged-table-data', '--no-password'];

/** What libpq and the loader of programs read of the environment; no secret of ours. */
const PASSED = /^(PATH|HOME|LD_LIBRARY_PATH|PG\w+|SSL_CERT_\w+)$/;

/**
 * An address for libpq: its password apart, since every user of the machine may list arguments, and without the
 * settings of our driver.
 */
function splitAddress(databaseUrl: string): { bare: string; password: string | null } {
  const address = new URL(directUrl(databaseUrl));
  const password = decodeURIComponent(address.password) || address.searchParams.get('password');
  address.password = '';
  for (const name of ['password', 'uselibpqcompat']) address.searchParams.delete(name);
  if (address.searchParams.get('sslmode') === 'no-verify') address.searchParams.set('sslmode', 'require');
  // libpq takes a plus sign for itself.
  address.search = address.search.replaceAll('+', '%20');
  return { bare: address.href, password };
}

/** Why pg_dump gave up, by what it printed in English. */
function reasonOf(printed: string, archivo: string): string {
  const [, server, own] = /server version: ([^;]+); pg_dump version: ([^\s]+)/.exec(printed) ?? [];
  if (server !== undefined)
    return `PostgreSQL es de la versión ${server} y pg_dump de la ${own}, que no lo puede respaldar. Instale el cliente de PostgreSQL de la versión del servidor o de una posterior, o haga la imagen de Acuse con --build-arg POSTGRES_IMAGE=postgres:${Number.parseInt(server, 10)}.`;
  if (/permission denied for/.test(printed))
    return 'El usuario de DATABASE_URL no puede leer toda la base. Dé la orden con el de su dueño, el mismo de «migrar».';
  const last = printed.trim().split('\n').at(-1) ?? '';
  return explainPrinted(printed, {}, { path: archivo }) ?? `pg_dump no pudo respaldar la base: ${last}`;
}

async function dump(file: FileHandle, archivo: string, { databaseUrl, env }: { databaseUrl: string; env: Env }) {
  const { bare, password } = splitAddress(databaseUrl);
  // Its words are read in English.
  const passed = [...Object.entries(env).filter(([name]) => PASSED.test(name)), ['LC_ALL', 'C']];
  const ended = new AbortController();
  const stop = () => ended.abort();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, stop);
  const child = spawn('pg_dump', [...OPTIONS, `--dbname=${bare}`], {
    env: Object.fromEntries(password === null ? passed : [...passed, ['PGPASSWORD', password]]),
    stdio: ['ignore', file.fd, 'pipe'],
  });
  ended.signal.addEventListener('abort', () => child.kill());
  try {
    const [printed, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')]);
    if (ended.signal.aborted)
      throw new Error('El respaldo se interrumpió, y no quedó ningún archivo. Repita la orden.');
    if (code !== 0) throw new Error(reasonOf(printed, archivo));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(
      'No se encuentra pg_dump. Instale el cliente de PostgreSQL (en Debian, el paquete postgresql-client) de la versión del servidor o de una posterior, o dé la orden en el contenedor del operador, que lo trae.',
    );
  } finally {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, stop);
  }
}

/** Makes a file that only its owner reads, whole or not at all, and never in the place of another one. Gives its bytes. */
async function writeWhole(archivo: string, write: (file: FileHandle) => Promise<void>): Promise<number> {
  const taken = new Error(`Ya existe «${archivo}», y un respaldo no reemplaza a nada. Dé otro nombre.`);
  if (await stat(archivo).catch(() => null)) throw taken;
  const partial = `${archivo}.${randomUUID()}`;
  const file = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    throw Object.assign(error as Error, { path: dirname(archivo) });
  });
  try {
    await write(file);
    await file.sync();
    const { size } = await file.stat();
    await link(partial, archivo).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? taken : error;
    });
    return size;
  } finally {
    await file.close();
    await rm(partial, { force: true });
  }
}

/** The one way to make a backup of the database; `env` is what pg_dump is found by. */
export function addBackup(program: Command, deps: () => CliDeps, env: Env): void {
  program
    .command('respaldar')
    .description(
      'Escribe un respaldo de la base, con pg_dump, en un archivo nuevo que solo lee quien da la orden: completo o ninguno. No lleva con qué abrir una e.firma después de su hora. Se vuelve de él con pg_restore, «migrar» y «recuperar».',
    )
    .argument('<archivo>', 'dónde se escribe')
    .action(async (archivo: string) => {
      const { database, databaseUrl, show } = deps();
      const desde = await createBoveda(database).now();
      const bytes = await writeWhole(archivo, (file) => dump(file, archivo, { databaseUrl, env }));
      await noteBackup(database, { desde, bytes, ...AUTOR }).catch((error: unknown) => {
        throw new Error(`El respaldo quedó completo en «${archivo}», pero no se anotó en la base: ${explain(error)}`);
      });
      show({ archivo, bytes, desde });
    });
}
