import type { Retention } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Rows of each kind that one statement deletes: a fraction of a second, whatever has gathered. */
const BATCH = 100;

/** Deletes from the database what is past its time, batch after batch, while everybody else goes on. */
export function startRetention(deps: {
  retention: Retention;
  log: Logger;
  everyMs: number;
  traceDays: number;
  auditDays: number;
}) {
  const { retention, log, everyMs, traceDays, auditDays } = deps;
  return startLoop({
    name: 'retention',
    everyMs,
    log,
    turn: () => retention.prune({ traceDays, auditDays, limit: BATCH }),
  });
}
