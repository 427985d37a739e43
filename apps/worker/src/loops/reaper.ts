import type { Boveda } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/**
 * Deletes what has expired in the database: e.firma keys and sealed copies within a minute of their end. Its first
 * turn is at start-up. It asks nothing of storage or of the SAT, which may take longer than that minute to fail.
 */
export function startReaper(deps: { boveda: Pick<Boveda, 'reap'>; log: Logger; everyMs: number }) {
  const { boveda, log, everyMs } = deps;
  return startLoop({
    name: 'reaper',
    everyMs,
    log,
    turn: async () => {
      const reaped = await boveda.reap();
      if (reaped > 0) log.info({ reaped }, 'deleted expired credentials');
      return false;
    },
  });
}
