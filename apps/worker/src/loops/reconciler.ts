import type { Saldos, Sweeper } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Rows looked at in one turn. */
const BATCH = 500;

/**
 * Keeps every solicitud moving whatever happened to the queue or to a worker: those whose claim lapsed ring again,
 * those past their deadline end with a refund, those past their retention lose their package. Charges of calls whose
 * process died are given back. It asks nothing but the database: storage that hangs must not keep a solicitud waiting.
 */
export function startReconciler(deps: {
  sweeper: Pick<Sweeper, 'ringOverdue' | 'expire' | 'retire'>;
  saldos: Pick<Saldos, 'refundAbandoned'>;
  log: Logger;
  everyMs: number;
  /** Seconds after which a solicitud that is due and has no ring at all gets one. */
  graceSeconds: number;
  retentionDays: number;
}) {
  const { sweeper, saldos, log, everyMs, graceSeconds, retentionDays } = deps;
  return startLoop({
    name: 'reconciler',
    everyMs,
    log,
    turn: async () => {
      const rung = await sweeper.ringOverdue({ graceSeconds, limit: BATCH });
      if (rung > 0) log.warn({ rung }, 'rang overdue solicitudes again');

      const expired = await sweeper.expire(BATCH);
      if (expired.length > 0) log.info({ expired: expired.length }, 'past their deadline: ended and refunded');

      const abandoned = await saldos.refundAbandoned(BATCH);
      if (abandoned > 0) log.warn({ abandoned }, 'gave back the charges of calls that nobody answered');

      const retired = await sweeper.retire({ retentionDays, limit: BATCH });
      return [rung, expired.length, abandoned, retired].includes(BATCH);
    },
  });
}
