import { ConfigError, createLogger, createShutdown } from '@acuse/runtime';
import { readConfig, type WorkerConfig } from './config.ts';
import { startWorker } from './worker.ts';

function configOrExit(): WorkerConfig {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

const config = configOrExit();
const log = createLogger({ name: 'worker', level: config.LOG_LEVEL });
const shutdown = createShutdown({ log, timeoutMs: 10_000 });
shutdown.listen();
const { healthUrl } = await startWorker(config, log, shutdown);
log.info({ roles: config.WORKER_ROLES, healthUrl }, 'worker ready');
