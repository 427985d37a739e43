import type { Paquetes } from '@acuse/core';
import {
  createBacklog,
  createDocumentos,
  createSaldos,
  createSaludCanales,
  createSweeper,
  type Documentos,
  type Saldos,
  type Sweeper,
} from '@acuse/db';
import { startLoop } from '@acuse/roles';
import type { Logger } from '@acuse/runtime';
import { FEATURE_GAUGES } from '../features.ts';
import { meterReconciler, observeBacklog, observeCanales } from '../metering.ts';
import type { OpenWorkerRole } from './role.ts';

/** Rows looked at in one turn. */
const BATCH = 500;

/** Milliseconds between two searches for solicitudes without a wake-up: only a statement by hand removes one. */
const FIND_LOST_MS = 600_000;

/**
 * Keeps every solicitud moving whatever happened to the queue or to a worker: wakes those whose claim lapsed, ends those
 * past their deadline with a refund, and refunds calls whose process died. It asks nothing but the database: storage that
 * hangs must not keep a solicitud waiting.
 */
export function startReconciler(deps: {
  sweeper: Pick<Sweeper, 'wakeOverdue' | 'expire'>;
  saldos: Pick<Saldos, 'refundAbandoned'>;
  log: Logger;
  everyMs: number;
}) {
  const { sweeper, saldos, log, everyMs } = deps;
  let findAt = 0;
  return startLoop({
    name: 'reconciler',
    everyMs,
    log,
    turn: async () => {
      const findLost = performance.now() >= findAt;
      const { woken, isLate, isAbandoned } = await sweeper.wakeOverdue({ limit: BATCH, findLost });
      if (findLost && woken < BATCH) findAt = performance.now() + FIND_LOST_MS;
      if (woken > 0) log.warn({ woken }, 'overdue_solicitudes_rung');

      const expired = isLate ? await sweeper.expire(BATCH) : [];
      if (expired.length > 0) log.info({ expired: expired.length }, 'late_solicitudes_refunded');

      const abandoned = isAbandoned ? await saldos.refundAbandoned(BATCH) : 0;
      if (abandoned > 0) log.warn({ abandoned }, 'abandoned_calls_refunded');
      return [woken, expired.length, abandoned].includes(BATCH);
    },
  });
}

/** Objects one after the other that storage does not let go of before a turn ends: then it is storage, not they. */
const MOST_FAILURES = 10;
/** Milliseconds between two looks for abandoned uploads, and the age in seconds that makes one abandoned. */
const SWEEP_MS = 3_600_000;
const ABANDONED_SECONDS = 24 * 3_600;

/**
 * Retires packages past their retention, and deletes from storage what the database no longer keeps: objects of ended
 * solicitudes, old documents, uploads of killed processes.
 */
export function startCleanup(deps: {
  sweeper: Pick<Sweeper, 'retire' | 'purgeable' | 'purged'>;
  documentos: Pick<Documentos, 'old' | 'deleted'>;
  paquetes: Pick<Paquetes, 'remove' | 'removeDocumento' | 'sweepUploads'>;
  log: Logger;
  everyMs: number;
  retentionDays: number;
  /** Seconds between the end of a package and the deletion of its object: longer than a signed URL lives. */
  purgeSeconds: number;
}) {
  const { sweeper, documentos, paquetes, log, everyMs, retentionDays, purgeSeconds } = deps;
  let sweepAt = 0;
  /** One that cannot be removed (an object under a legal hold) does not keep those behind it. */
  async function each<T>(items: readonly T[], signal: AbortSignal, remove: (item: T) => Promise<void>) {
    let failures = 0;
    for (const item of items) {
      if (signal.aborted) return;
      try {
        await remove(item);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === MOST_FAILURES) throw error;
        log.error({ item, err: error }, 'object_not_removed');
      }
    }
  }
  return startLoop({
    name: 'limpieza',
    everyMs,
    log,
    turn: async (signal) => {
      const retired = await sweeper.retire({ retentionDays, limit: BATCH });
      const purgeable = await sweeper.purgeable({ graceSeconds: purgeSeconds, limit: BATCH });
      await each(purgeable, signal, async (solicitudId) => {
        await paquetes.remove(solicitudId, 'todo');
        await sweeper.purged(solicitudId);
      });
      const old = await documentos.old({ retentionDays, limit: BATCH });
      await each(old, signal, async ({ id, objectKey }) => {
        await paquetes.removeDocumento(objectKey);
        await documentos.deleted(id);
      });
      if (signal.aborted) return false;
      if (performance.now() >= sweepAt) {
        const swept = await paquetes.sweepUploads(ABANDONED_SECONDS);
        sweepAt = performance.now() + SWEEP_MS;
        if (swept > 0) log.warn({ swept }, 'abandoned_uploads_aborted');
      }
      return retired === BATCH;
    },
  });
}

/** Exports the figures of the whole installation, beside the loops: every process with the role does, active or not. */
export const observeInstallation: OpenWorkerRole = ({ database, metrics }) => {
  observeBacklog(metrics, createBacklog(database));
  for (const observe of FEATURE_GAUGES) observe({ database, metrics });
  observeCanales(metrics, createSaludCanales(database));
};

/** Rounds of the reconciler between two rounds of the cleanup: what it deletes has waited for hours. */
const CLEANUP_ROUNDS = 30;

/** Repeats lost wake-ups, ends solicitudes past their deadline, refunds abandoned calls and deletes old packages. */
export const openReconciler: OpenWorkerRole = ({ config, database, log, metrics, paquetes, closeLater }) => {
  const { sweeper, saldos } = meterReconciler(
    { sweeper: createSweeper(database), saldos: createSaldos(database) },
    metrics,
  );
  const everyMs = config.RECONCILER_INTERVAL_MS;
  closeLater('reconciler', startReconciler({ sweeper, saldos, log, everyMs }));
  const cleanup = startCleanup({
    sweeper,
    documentos: createDocumentos(database),
    paquetes,
    log,
    everyMs: CLEANUP_ROUNDS * everyMs,
    retentionDays: config.RETENTION_DAYS,
    purgeSeconds: config.PURGE_GRACE_SECONDS,
  });
  closeLater('limpieza', cleanup);
};
