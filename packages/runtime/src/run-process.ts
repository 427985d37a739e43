import { ConfigError } from './config/load.ts';
import { explain } from './explain.ts';
import { createLogger, type LogFields, type Logger, type LogLevel } from './log/logger.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';

/** Milliseconds that one phase of the shutdown may take unless it has its own limit. */
const PHASE_MS = 10_000;

/**
 * Runs one process from its settings to its end: settings that are wrong, and why it cannot start, are told on stderr
 * with exit code 1; what `start` opens is closed in reverse order on SIGTERM and SIGINT. What `start` gives is logged
 * as `<name> ready`.
 */
export async function runProcess<C extends { readonly LOG_LEVEL: LogLevel }>(options: {
  readonly name: string;
  readonly readConfig: () => C;
  readonly start: (config: C, log: Logger, shutdown: Shutdown) => Promise<LogFields>;
}): Promise<void> {
  const { name, readConfig, start } = options;
  const config = configOrExit(readConfig);
  const log = createLogger({ name, level: config.LOG_LEVEL });
  const shutdown = createShutdown({ log, timeoutMs: PHASE_MS });
  shutdown.listen();
  try {
    log.info(await start(config, log, shutdown), `${name} ready`);
  } catch (error) {
    log.fatal({ err: error }, `${name} could not start`);
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
