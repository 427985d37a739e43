import { ConfigError, createLogger, createShutdown } from '@acuse/runtime';
import { type ApiConfig, readConfig } from './config.ts';
import { startApi } from './start.ts';

function configOrExit(): ApiConfig {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

const config = configOrExit();
const log = createLogger({ name: 'api', level: config.LOG_LEVEL });
const shutdown = createShutdown({ log, timeoutMs: 10_000 });
shutdown.listen();
const { url } = await startApi(config, log, shutdown);
log.info({ url }, 'api ready');
