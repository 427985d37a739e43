import type { Documentos, Paquetes, Saldos, Vigilancia } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Rows looked at in one turn. */
const BATCH = 500;

/**
 * Keeps every solicitud moving whatever happened to the queue or to a worker: overdue ones ring again, those past their deadline end with a
 * refund, those past their retention lose their package. Charges of calls whose process died are given back, old documents deleted.
 */
export function startReconciler(deps: {
  vigilancia: Vigilancia;
  saldos: Pick<Saldos, 'refundAbandoned'>;
  documentos: Pick<Documentos, 'old' | 'deleted'>;
  paquetes: Pick<Paquetes, 'remove' | 'removeDocumento'>;
  log: Logger;
  everyMs: number;
  /** Seconds that a ring may take before it counts as lost. */
  graceSeconds: number;
  retentionDays: number;
  /** Seconds between the end of a package and the deletion of its object: longer than a signed URL lives. */
  purgeSeconds: number;
}) {
  const {
    vigilancia,
    saldos,
    documentos,
    paquetes,
    log,
    everyMs,
    graceSeconds,
    retentionDays,
    purgeSeconds,
  } = deps;
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

      const abandoned = await saldos.refundAbandoned(BATCH);
      if (abandoned > 0) log.warn({ abandoned }, 'gave back the charges of calls that nobody answered');

      const retired = await vigilancia.retire({ retentionDays, limit: BATCH });
      for (const solicitudId of await vigilancia.purgeable({ graceSeconds: purgeSeconds, limit: BATCH })) {
        await paquetes.remove(solicitudId, 'todo');
        await vigilancia.purged(solicitudId);
      }
      for (const { id, objectKey } of await documentos.old({ retentionDays, limit: BATCH })) {
        await paquetes.removeDocumento(objectKey);
        await documentos.deleted(id);
      }
      return rung === BATCH || expired.length === BATCH || retired === BATCH;
    },
  });
}
