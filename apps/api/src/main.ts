import { runProcess } from '@acuse/runtime';
import { readConfig } from '@acuse/settings/api';
import { startApi } from './start.ts';

await runProcess({
  name: 'api',
  readConfig,
  start: async (config, log, shutdown) => ({ url: (await startApi(config, log, shutdown)).url }),
});
