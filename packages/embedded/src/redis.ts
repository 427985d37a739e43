import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExplainedError, type Logger } from '@acuse/runtime';
import { lifeline, waitGone } from './children.ts';
import { freePort } from './free-port.ts';
import { canRun } from './postgres/binaries.ts';
import { ensurePassword } from './postgres.ts';

interface RedisOptions {
  /** The folder that holds the data, the password and the log. Made when missing, used again when there. */
  readonly dir: string;
  /** Listens here; a free port by default. */
  readonly port?: number;
  /** Further lines of its settings, and the arguments after them: a replica, a member of a cluster, a sentinel. */
  readonly conf?: readonly string[];
  readonly args?: readonly string[];
  readonly log: Logger;
}

const START_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 15_000;

/** The path of `redis-server` on PATH, or null. @param path a list of folders, as PATH is. */
export async function findRedisServer(path: string = process.env['PATH'] ?? ''): Promise<string | null> {
  for (const folder of path.split(delimiter).filter((each) => each !== '')) {
    const candidate = join(folder, 'redis-server');
    if (await canRun(candidate)) return candidate;
  }
  return null;
}

/**
 * Starts the machine's Redis: loopback only, a random password kept in `dir`, an append-only file, nothing ever evicted
 * (BullMQ demands it). It ends with this process. Gives null when the machine has no `redis-server`.
 */
export async function startRedis(options: RedisOptions) {
  const program = await findRedisServer();
  if (program === null) return null;
  const dir = resolve(options.dir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const password = await ensurePassword(join(dir, 'password'));
  const port = options.port ?? (await freePort());
  const logFile = join(dir, 'redis.log');
  const log = await open(logFile, 'w', 0o600);
  // A file, where no list of processes shows the password; sentinels and fail-overs write into it.
  const file = join(dir, 'redis.conf');
  const settings = [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir "${dir}"`,
    `requirepass ${password}`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    ...(options.conf ?? []),
  ];
  await writeFile(file, `${settings.join('\n')}\n`, { mode: 0o600 });
  const child = spawn(program, [file, ...(options.args ?? [])], {
    cwd: dir,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  try {
    await once(child, 'spawn');
  } finally {
    await log.close();
  }
  const pid = child.pid ?? -1;
  lifeline.hold(pid);
  child.once('exit', () => lifeline.release(pid));
  const until = performance.now() + START_TIMEOUT_MS;
  while (!(await answersPing(port, password))) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() > until) {
      child.kill('SIGKILL');
      throw new ExplainedError(
        `Redis no inició:\n${(await readFile(logFile, 'utf8')).split('\n').slice(-12).join('\n').trim()}`,
      );
    }
    await sleep(15);
  }
  child.unref();
  options.log.info({ port, pid }, 'redis_started');
  return {
    /** The address, with the password. */
    url: `redis://:${password}@127.0.0.1:${port}`,
    pid,
    /** Writes the data and ends. May be called again. */
    async stop() {
      child.kill('SIGTERM');
      if (!(await waitGone(pid, STOP_TIMEOUT_MS))) child.kill('SIGKILL');
    },
  };
}

function answersPing(port: number, password: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let answer = '';
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.includes('+PONG') || answer.includes('-')) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => done(answer.includes('+PONG')));
  });
}
