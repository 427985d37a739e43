import type { Boveda, Vigilancia } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Turns between two looks at what is not urgent. */
const HOURLY_TURNS = 240;

/**
 * Deletes what has expired in the database: e.firma keys and sealed copies within a minute of their end, leftovers now and then. Its first
 * turn is at start-up. It asks nothing of storage or of the SAT, which may take longer than that minute to fail.
 */
export function startReaper(deps: {
  boveda: Pick<Boveda, 'reap'>;
  vigilancia: Pick<Vigilancia, 'tidy'>;
  log: Logger;
  everyMs: number;
}) {
  const { boveda, vigilancia, log, everyMs } = deps;
  let turns = 0;
  return startLoop({
    name: 'reaper',
    everyMs,
    log,
    turn: async () => {
      const reaped = await boveda.reap();
      if (reaped > 0) log.info({ reaped }, 'deleted expired credentials');
      if (turns++ % HOURLY_TURNS === 0) await vigilancia.tidy();
      return false;
    },
  });
}
