import { execFile } from 'node:child_process';
import { chown, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.ts';

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
