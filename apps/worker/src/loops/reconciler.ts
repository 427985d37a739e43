import type { Paquetes, Vigilancia } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Rows looked at in one turn. */
const BATCH = 500;

/**
 * Keeps every solicitud moving whatever happened to the queue or to a worker: overdue ones ring again, those past their deadline end with a
 * refund, those past their retention lose their package.
 */
export function startReconciler(deps: {
  vigilancia: Vigilancia;
  paquetes: Pick<Paquetes, 'remove'>;
  log: Logger;
  everyMs: number;
  /** Seconds that a ring may take before it counts as lost. */
  graceSeconds: number;
  retentionDays: number;
  /** Seconds between the end of a package and the deletion of its object: longer than a signed URL lives. */
  purgeSeconds: number;
}) {
  const { vigilancia, paquetes, log, everyMs, graceSeconds, retentionDays, purgeSeconds } = deps;
  return startLoop({
    name: 'reconciler',
    everyMs,
    log,
    turn: async () => {
      const rung = await vigilancia.ringOverdue({ graceSeconds, limit: BATCH });
      if (rung > 0) log.warn({ rung }, 'rang overdue solicitudes again');

      const expired = await vigilancia.expire(BATCH);
      if (expired.length > 0)
        log.info({ expired: expired.length }, 'past their deadline: ended and refunded');

      const retired = await vigilancia.retire({ retentionDays, limit: BATCH });
      for (const solicitudId of await vigilancia.purgeable({ graceSeconds: purgeSeconds, limit: BATCH })) {
        await paquetes.remove(solicitudId, 'todo');
        await vigilancia.purged(solicitudId);
      }
      return rung === BATCH || expired.length === BATCH || retired === BATCH;
    },
  });
}
