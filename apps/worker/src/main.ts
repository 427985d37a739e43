import { runProcess } from '@acuse/runtime';
import { readConfig } from '@acuse/settings/worker';
import { startWorker } from './worker.ts';

await runProcess({
  name: 'worker',
  readConfig,
  start: async (config, log, shutdown) => ({
    roles: config.WORKER_ROLES,
    ...(await startWorker(config, log, shutdown)),
  }),
});
