import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ExplainedError, type Logger } from '@acuse/runtime';
import { lifeline, residentBytes } from './children.ts';

/** One of our own programs. */
interface AppSpec {
  /** On its lines in the log, and the name of its log file. */
  readonly name: string;
  /** The absolute path of what Node runs. */
  readonly entry: string;
  /** Its whole environment, but for what any program needs (PATH, HOME and the like): nothing of ours is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** The program is ready when it sent `ready` and this address answers 2xx; without it, when it was spawned. */
  readonly readyUrl?: string;
}

export interface ProcessGroupOptions {
  readonly log: Logger;
  /** Each program writes to `NAME.log` here; without it, to our standard output with its name before each line. */
  readonly logDir?: string;
  /** How long a program may take until it is ready, in milliseconds; 60,000 by default. */
  readonly readyTimeoutMs?: number;
  /** How long a program may take to end after SIGTERM, in milliseconds, before it is killed; 30,000 by default. */
  readonly stopTimeoutMs?: number;
  /** Called when a program ends without an order. */
  readonly onUnexpectedExit?: (name: string, code: number | null, signal: NodeJS.Signals | null) => void;
}

/** A program that runs. */
export type AppProcess = ReturnType<typeof control>;

export type ProcessGroup = ReturnType<typeof createProcessGroup>;

const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'SystemRoot', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];
/**
 * Fills memory that is freed (glibc, blocks above 1,032 bytes): the decoder of OpenSSL 3 frees copies of a private key
 * as they are. The image sets the same.
 */
export const FILL_FREED = { MALLOC_PERTURB_: '165' };
const POLL_MS = 25;
const TAIL_LINES = 30;

/** What a program says for people among its last lines: no stack, and of its log only the errors. */
function wordsOf(tail: readonly string[]): string {
  const words = tail.flatMap((line) => {
    if (!line.startsWith('{')) return /^\s*(at |\^|$)|^Node\.js v|^(file|node):/.test(line) ? [] : [line];
    try {
      const { level, msg, err } = JSON.parse(line);
      return ['error', 'fatal'].includes(level) ? [`${msg}${err?.message ? `: ${err.message}` : ''}`] : [];
    } catch {
      return [];
    }
  });
  return [...new Set(words)].join('\n');
}

/** Makes a group of programs that start in order, stop in the reverse order, and never outlive this process. */
export function createProcessGroup(options: ProcessGroupOptions) {
  const { readyTimeoutMs = 60_000, stopTimeoutMs = 30_000 } = options;
  const apps: AppProcess[] = [];

  return {
    /** Starts a program and waits until it is ready. @throws with the end of its output when it is not. */
    async start(spec: AppSpec) {
      const startedAt = performance.now();
      const { child, tail } = await launch(spec, options.logDir);
      const app = control(spec.name, child, stopTimeoutMs, options.onUnexpectedExit);
      apps.push(app);
      try {
        await waitReady(spec, child, readyTimeoutMs);
      } catch (error) {
        await app.stop();
        const bitacora = options.logDir === undefined ? '' : `\nSu bitácora: ${join(options.logDir, spec.name)}.log`;
        throw new ExplainedError(
          `${spec.name} no inició: ${(error as Error).message}\n${wordsOf(await tail())}`.trim() + bitacora,
          { cause: error },
        );
      }
      options.log.info({ app: spec.name, pid: app.pid, ms: Math.round(performance.now() - startedAt) }, 'app_ready');
      return app;
    },
    /** Stops all, the last one started first. Gives true when each ended cleanly. */
    async stop() {
      let clean = true;
      for (let app = apps.pop(); app; app = apps.pop()) {
        const ended = await app.stop();
        if (!ended) options.log.warn({ app: app.name }, 'app_not_ended_cleanly');
        clean &&= ended;
      }
      return clean;
    },
  };
}

async function launch({ name, entry, env }: AppSpec, logDir: string | undefined) {
  const inherited = Object.fromEntries(INHERITED.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : [])));
  const start = (output: number | 'pipe') =>
    spawn(process.execPath, [entry], {
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
      env: {
        ...inherited,
        ...FILL_FREED,
        ...env,
        NODE_OPTIONS: [inherited['NODE_OPTIONS'], env['NODE_OPTIONS']].join(' ').trim(),
      },
      // Not of our process group: a Ctrl-C must reach us only, who stop them in order.
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    });
  const { child, tail } =
    logDir === undefined ? prefixed(name, start('pipe')) : await intoFile(join(logDir, `${name}.log`), start);
  const { pid } = child;
  if (pid === undefined) throw await once(child, 'error').then(([error]) => error);
  lifeline.hold(pid);
  child.once('exit', () => lifeline.release(pid));
  return { child, tail };
}

function prefixed(name: string, child: ChildProcess) {
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      process.stdout.write(`${name.padEnd(9)} ${line}\n`);
      last.push(line);
      if (last.length > TAIL_LINES) last.shift();
    });
  }
  return { child, tail: async () => last };
}

async function intoFile(path: string, start: (output: number) => ChildProcess) {
  await mkdir(join(path, '..'), { recursive: true });
  const file = await open(path, 'a', 0o600);
  try {
    const { size: before } = await file.stat();
    const tail = async () =>
      (await readFile(path)).subarray(before).toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES);
    return { child: start(file.fd), tail };
  } finally {
    await file.close();
  }
}

function control(
  name: string,
  child: ChildProcess,
  stopTimeoutMs: number,
  onUnexpectedExit: ProcessGroupOptions['onUnexpectedExit'],
) {
  const pid = child.pid ?? -1;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const exited = isRunning() ? once(child, 'exit') : Promise.resolve();
  let stopping: Promise<boolean> | undefined;
  child.once('exit', (code, signal) => {
    if (!stopping) onUnexpectedExit?.(name, code, signal);
  });

  async function stop(): Promise<boolean> {
    const force = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    child.kill('SIGTERM');
    await exited;
    clearTimeout(force);
    return child.exitCode === 0;
  }

  return {
    name,
    pid,
    /** True until it has ended. */
    isRunning,
    /** Its resident memory in bytes, or null where the system does not tell. */
    residentBytes: () => residentBytes(pid),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** SIGTERM, and SIGKILL when its time is over. Gives true when it ended by itself with code 0. May be called again. */
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function waitReady({ readyUrl }: AppSpec, child: ChildProcess, timeoutMs: number): Promise<void> {
  if (readyUrl === undefined) return;
  const until = performance.now() + timeoutMs;
  let last = 'no respondió';
  let isListening = false;
  child.once('message', () => {
    isListening = true;
    if (child.connected) child.disconnect();
  });
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`terminó con ${child.exitCode ?? child.signalCode} antes de estar listo`);
    }
    const status = await fetch(readyUrl, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => 0,
    );
    if (isListening && status >= 200 && status < 300) return;
    if (status > 0) last = `respondió ${status}`;
    if (performance.now() > until) throw new Error(`${readyUrl} ${last} en ${timeoutMs} ms`);
    await sleep(POLL_MS);
  }
}
