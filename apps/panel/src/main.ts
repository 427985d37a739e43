import { runProcess } from '@acuse/runtime';
import { readConfig } from '@acuse/settings/panel';
import { startPanel } from './start.ts';

await runProcess({
  name: 'panel',
  readConfig,
  start: async (config, log, shutdown) => ({ url: (await startPanel(config, log, shutdown)).url }),
});
