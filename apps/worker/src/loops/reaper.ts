import type { Boveda, Paquetes, Vigilancia } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Turns between two looks at what is not urgent. */
const HOURLY_TURNS = 240;

/** Deletes what has expired: e.firma keys and sealed copies within a minute of their end, leftovers now and then. Its first turn is at start-up. */
export function startReaper(deps: {
  boveda: Pick<Boveda, 'reap'>;
  vigilancia: Pick<Vigilancia, 'tidy'>;
  paquetes: Pick<Paquetes, 'sweepUploads'>;
  log: Logger;
  everyMs: number;
}) {
  const { boveda, vigilancia, paquetes, log, everyMs } = deps;
  let turns = 0;
  return startLoop({
    name: 'reaper',
    everyMs,
    log,
    turn: async () => {
      const reaped = await boveda.reap();
      if (reaped > 0) log.info({ reaped }, 'deleted expired credentials');
      if (turns++ % HOURLY_TURNS === 0) {
        await vigilancia.tidy();
        const swept = await paquetes.sweepUploads(24 * 3_600);
        if (swept > 0) log.warn({ swept }, 'aborted abandoned uploads');
      }
      return false;
    },
  });
}
