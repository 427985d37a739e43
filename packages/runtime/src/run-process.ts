import { setTimeout as sleep } from 'node:timers/promises';
import { deadline } from './abort.ts';
import { ConfigError } from './config.ts';
import { explain } from './explain.ts';
import { createLogger, type LogFields, type Logger, type LogLevel } from './log.ts';

/** Milliseconds that one phase of the shutdown may take unless it has its own limit. */
const PHASE_MS = 10_000;

/**
 * Runs one process from its settings to its end. Wrong settings and a failed start are printed on stderr with exit code
 * 1. Resources opened by `start` are closed in reverse order on SIGTERM and SIGINT. The result of `start` is logged as
 * `process_ready`.
 */
export async function runProcess<C extends { readonly LOG_LEVEL: LogLevel; readonly DRAIN_SECONDS?: number }>(options: {
  readonly name: string;
  readonly readConfig: () => C;
  readonly start: (config: C, log: Logger, shutdown: Shutdown) => Promise<LogFields>;
}): Promise<void> {
  const { name, readConfig, start } = options;
  const config = configOrExit(readConfig);
  const log = createLogger({ name, level: config.LOG_LEVEL });
  const shutdown = createShutdown({ log, timeoutMs: PHASE_MS, drainMs: (config.DRAIN_SECONDS ?? 0) * 1_000 });
  shutdown.listen();
  try {
    log.info(await start(config, log, shutdown), 'process_ready');
    // A parent with a channel waits for this: another program may answer at the same port.
    process.send?.('ready', undefined, undefined, () => {});
  } catch (error) {
    log.fatal({ err: error }, 'process_not_started');
    process.stderr.write(`${explain(error, portOf(config, error))}\n`);
    process.exit(1);
  }
}

/** The setting of the port that could not be listened on. */
function portOf(config: object, error: unknown): { readonly port?: string } {
  const taken = error instanceof Error && 'port' in error ? error.port : undefined;
  const found = Object.entries(config).find(([name, value]) => name.endsWith('_PORT') && value === taken);
  return found === undefined ? {} : { port: found[0] };
}

function configOrExit<C>(readConfig: () => C): C {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** The events of a process that end it. `process` is one. */
interface ProcessEvents {
  on(event: string, listener: (value: unknown) => void): unknown;
  off(event: string, listener: (value: unknown) => void): unknown;
}

interface ShutdownOptions {
  readonly log: Logger;
  /** The limit of each phase in milliseconds, unless the phase has its own. */
  readonly timeoutMs: number;
  /** Milliseconds between SIGTERM and the shutdown, in which everything goes on; 0 by default. */
  readonly drainMs?: number;
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly events?: ProcessEvents;
  readonly exit?: (code: number) => void;
}

/** Closes what a process has opened, in the reverse order. */
export interface Shutdown {
  /** Aborts when the end is announced: a server says so to its balancer, and serves on. */
  readonly announced: AbortSignal;
  /** Aborts the moment the shutdown begins: loops and waits listen to it. */
  readonly signal: AbortSignal;
  /**
   * Registers how to close something that has just been opened. A phase registered during the shutdown is closed at
   * once.
   */
  phase(name: string, close: () => unknown, options?: { readonly timeoutMs?: number }): void;
  /**
   * From now on SIGTERM, once the drain is over, and SIGINT close everything and exit 0, a second one exits 1 at once,
   * and an uncaught exception or an unhandled rejection is logged, closes everything and exits 1.
   */
  listen(): void;
  /** Closes all phases, once. Gives false when one of them failed or ran out of time. Never rejects. */
  close(reason: string): Promise<boolean>;
}

interface Phase {
  readonly name: string;
  readonly close: () => unknown;
  readonly timeoutMs: number;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const FAULTS = ['uncaughtException', 'unhandledRejection'] as const;

/** Makes the ordered shutdown of one process. */
export function createShutdown(options: ShutdownOptions): Shutdown {
  const { log, timeoutMs, drainMs = 0, wait = sleep, events = process, exit = process.exit } = options;
  const controller = new AbortController();
  const announced = new AbortController();
  const phases: Phase[] = [];
  let closing: Promise<boolean> | undefined;

  async function closeAll(reason: string): Promise<boolean> {
    log.info({ reason, phases: phases.length }, 'shutdown_begun');
    announced.abort();
    controller.abort(new Error(`shutting down: ${reason}`));
    let clean = true;
    for (let phase = phases.pop(); phase; phase = phases.pop()) {
      clean = (await closePhase(phase, log)) && clean;
    }
    log.info({ reason, clean }, 'shutdown_done');
    return clean;
  }

  function close(reason: string): Promise<boolean> {
    closing ??= closeAll(reason);
    return closing;
  }

  async function end(reason: string, code: number): Promise<void> {
    const clean = await close(reason);
    exit(clean ? code : 1);
  }

  /** Closes nothing yet: requests that the load balancer sent before it noticed still get an answer. */
  async function drain(reason: string): Promise<void> {
    announced.abort();
    log.info({ reason, ms: drainMs }, 'drain_begun');
    await wait(drainMs);
  }

  return {
    announced: announced.signal,
    signal: controller.signal,
    close,
    phase(name, closePart, { timeoutMs: own = timeoutMs } = {}) {
      const phase = { name, close: closePart, timeoutMs: own };
      if (closing) closing = closing.then(async (clean) => (await closePhase(phase, log)) && clean);
      else phases.push(phase);
    },
    listen() {
      for (const signal of SIGNALS) {
        events.on(signal, () => {
          if (announced.signal.aborted) exit(1);
          else if (signal === 'SIGTERM' && drainMs > 0) void drain(signal).then(() => end(signal, 0));
          else void end(signal, 0);
        });
      }
      for (const fault of FAULTS) {
        events.on(fault, (value) => {
          log.fatal({ err: asError(value), fault }, 'process_failed');
          void end(fault, 1);
        });
      }
    },
  };
}

async function closePhase(phase: Phase, log: Logger): Promise<boolean> {
  try {
    await deadline(phase.timeoutMs, async () => phase.close());
    log.debug({ phase: phase.name }, 'phase_closed');
    return true;
  } catch (error) {
    log.error({ phase: phase.name, err: asError(error) }, 'phase_not_closed');
    return false;
  }
}

function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(`thrown: ${typeof value}`);
}

/** Whether this host has a process with this id, of any user. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
