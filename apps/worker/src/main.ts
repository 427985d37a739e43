import { setFlagsFromString } from 'node:v8';
import { runProcess } from '@acuse/runtime';
import { readConfig } from '@acuse/settings/worker';
import { startWorker } from './worker.ts';

// V8 counts buffers as heap: left alone, it collects the whole heap for each 9 MB of new ones.
setFlagsFromString('--heap-growing-percent=50');

await runProcess({
  name: 'worker',
  readConfig,
  start: async (config, log, shutdown) => ({
    roles: config.WORKER_ROLES,
    ...(await startWorker(config, log, shutdown)),
  }),
});
