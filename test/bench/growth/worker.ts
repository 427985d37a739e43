/**
 * A worker of the bench, in a process of its own: `worker.ts NAME DATABASE_URL QUEUE_SETTINGS_AS_JSON SECONDS`, where
 * SECONDS pass between two looks at one solicitud. With `HOLD` it looks at each for ever.
 */
import type { QueueSettings } from '@acuse/queue';
import { HOLD, startWorkers } from '../backlog.ts';
import { look } from '../jobs.ts';

/** The worker's own default (`DESCARGAS_CONCURRENCY`). */
const SLOTS = 250;

const [name = '', databaseUrl = '', settings = '', seconds = '0'] = process.argv.slice(2);
let steps = 0;
await startWorkers([name], databaseUrl, JSON.parse(settings) as QueueSettings, SLOTS, {
  async step(claimed, claims) {
    if (Number(seconds) === HOLD) await new Promise(() => {});
    await claims.release(claimed, look(claimed), { queue: 'descargas', inSeconds: Number(seconds) });
    steps += 1;
  },
});
process.on('message', () => process.send?.(steps));
process.send?.('ready');
