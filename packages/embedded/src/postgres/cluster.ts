import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ExplainedError, explainPrinted } from '@acuse/runtime';
import { commandLineOf, isAlive, waitGone } from '../children/processes.ts';
import type { PostgresBinaries } from './binaries.ts';
import { commandAs, type RunAs } from './run-as.ts';

const run = promisify(execFile);

/** The only role of an embedded cluster. */
export const USER = 'acuse';

/** Makes the cluster if there is none yet. It appears under its name only when it is complete. */
export async function ensureCluster(
  cluster: string,
  password: string,
  binaries: PostgresBinaries,
  as: RunAs,
): Promise<void> {
  if (await stat(join(cluster, 'PG_VERSION')).catch(() => undefined)) return;
  const draft = `${cluster}-${randomBytes(4).toString('hex')}`;
  const passwordDir = await mkdtemp(join(tmpdir(), 'acuse-pg-'));
  const passwordFile = join(passwordDir, 'password');
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    await mkdir(draft, { mode: 0o700 });
    for (const path of [passwordDir, passwordFile, draft]) await as.own(path);
    await runInitdb(draft, passwordFile, binaries, as);
    await rename(draft, cluster);
  } finally {
    await rm(passwordDir, { recursive: true, force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

async function runInitdb(draft: string, passwordFile: string, binaries: PostgresBinaries, as: RunAs): Promise<void> {
  const { command, args, ids } = commandAs(as, binaries.initdb, [
    `--pgdata=${draft}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...(await localeOf(binaries)),
  ]);
  const child = spawn(command, args, {
    ...ids,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    env: postgresEnv(),
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0)
    throw new ExplainedError(
      `No se pudo preparar PostgreSQL (initdb terminó con ${code}): ${explainPrinted(complaint, { folder: '--data' }, { path: draft }) ?? ''}\n${complaint.trim()}`,
    );
}

/** Order by code point and capitals beyond ASCII: PostgreSQL's own from version 17 on, the C library's before. */
async function localeOf({ initdb }: PostgresBinaries): Promise<string[]> {
  const { stdout } = await run(initdb, ['--version'], { cwd: '/', env: postgresEnv() });
  const major = Number(/(\d+)/.exec(stdout)?.[1]);
  return major >= 17 ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : ['--locale=C.UTF-8'];
}

/**
 * The environment of the PostgreSQL programs: none of ours, which may hold secrets or PG variables of another server.
 */
export function postgresEnv(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, SystemRoot } = process.env;
  return Object.fromEntries(
    Object.entries({ PATH, TMPDIR, SystemRoot, LC_ALL: 'C', TZ: 'UTC' }).filter(([, value]) => value !== undefined),
  );
}

/**
 * Makes sure that no server runs on the cluster: one whose owner is gone is stopped, a pid file that speaks of another
 * program is dropped. @throws when the server's owner is alive.
 */
export async function releaseCluster(cluster: string, ownerFile: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  if (!Number.isInteger(pid) || !isAlive(pid)) return;
  const isOurs = (await commandLineOf(pid)).includes(cluster);
  if (!isOurs) return rm(pidFile, { force: true });
  const owner = Number.parseInt(await readFile(ownerFile, 'utf8').catch(() => ''), 10);
  if (Number.isInteger(owner) && isAlive(owner)) {
    throw new Error(
      `El PostgreSQL de ${cluster} ya está en uso por el proceso ${owner}. Deténgalo, o use otra carpeta de datos.`,
    );
  }
  await endProcess(pid);
}

/** Ends a PostgreSQL server: fast shutdown (SIGINT), then immediate (SIGQUIT), then SIGKILL. */
export async function endProcess(pid: number): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', 15_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    if (await waitGone(pid, timeoutMs)) return;
  }
  throw new Error(`No se pudo detener el PostgreSQL con el proceso ${pid}.`);
}
