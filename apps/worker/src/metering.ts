import {
  type Avance,
  type ClaimedSolicitud,
  type Claims,
  type CuentaXml,
  MOTIVOS_FALTANTE,
  type Modo,
  type Paquetes,
  type SaludCanal,
} from '@acuse/core';
import type { Backlog, createBacklog, Saldos, SaludCanales, Sweeper } from '@acuse/db';
import type { Metrics } from '@acuse/metrics';
import { type Logger, noting } from '@acuse/runtime';

type WorkerMetrics = Metrics<'worker'>;

/**
 * The same claims, counting what steps note, how solicitudes end and which of their charges are given back, with a line
 * in the log for what each step led to; `isCharged`: those of a mode cost something.
 */
export function meterClaims(
  claims: Claims,
  { metrics, log, isCharged }: { metrics: WorkerMetrics; log: Logger; isCharged: (modo: Modo) => boolean },
): Claims {
  const note = ({ eventos = [] }: Avance) => {
    for (const { tipo } of eventos) metrics.stepEvents.with({ tipo }).add();
  };
  /** Its step says which solicitud it is. */
  const stepOf = ({ fase, claim, dueAt }: ClaimedSolicitud, { eventos = [] }: Avance = {}) => ({
    queue: fase === 'ENSAMBLE' ? 'ensambles' : 'descargas',
    wait_ms: Math.max(0, claim.at.getTime() - dueAt.getTime()),
    events: [
      ...claim.eventos,
      ...eventos.map(({ tipo, codigo }) => (codigo === undefined ? tipo : `${tipo} ${codigo}`)),
    ],
  });
  const refund = metrics.refunds.with({ causa: 'solicitud' });
  return noting(claims, {
    save: (_saved, _claimed, avance) => note(avance),
    goOn: (_held, _claimed, avance) => note(avance),
    release(_, claimed, avance, { queue: next_queue, inSeconds: next_in_seconds }) {
      note(avance);
      log.info({ ...stepOf(claimed, avance), next_queue, next_in_seconds }, 'step_done');
    },
    changeChannel(_, claimed, avance) {
      note(avance);
      log.info({ ...stepOf(claimed, avance), left: claimed.canal }, 'channel_changed');
    },
    awaitEfirma: (_, claimed) => log.info(stepOf(claimed), 'efirma_awaited'),
    finish(_isNoted, claimed, { registros, bytes, confianza, resumen }, unwritten = {}) {
      note(unwritten);
      log.info({ ...stepOf(claimed), estado: 'TERMINADA', registros, bytes }, 'solicitud_ended');
      metrics.solicitudesEnded.with({ estado: 'TERMINADA' }).add();
      if (resumen?.xml !== undefined) countXml(metrics, resumen.xml);
      if (registros === 0 && confianza === 'sin_confirmar' && isCharged(claimed.modo)) refund.add();
    },
    fail(_, claimed, end) {
      log.info({ ...stepOf(claimed), ...end }, 'solicitud_ended');
      metrics.solicitudesEnded.with({ estado: end.estado }).add();
      if (isCharged(claimed.modo)) refund.add();
    },
  });
}

function countXml({ xml }: WorkerMetrics, { entregados, porMotivo }: CuentaXml): void {
  xml.with({ resultado: 'ENTREGADO' }).add(entregados);
  for (const resultado of MOTIVOS_FALTANTE) xml.with({ resultado }).add(porMotivo[resultado] ?? 0);
}

/** The same storage as steps use it, counting packages and their bytes. */
export function meterPaquetes(paquetes: Paquetes, metrics: WorkerMetrics): Paquetes {
  const count = (kind: 'sat' | 'zip', bytes: number) => {
    metrics.packages.with({ kind }).add();
    metrics.packageBytes.with({ kind }).add(bytes);
  };
  return noting(paquetes, {
    saveSat: ({ bytes }) => count('sat', bytes),
    saveXml: ({ bytes }) => count('sat', bytes),
    assemble: ({ bytes }) => count('zip', bytes),
  });
}

/** The same sweeper and balances as the reconciler uses them, counting what they end and give back. */
export function meterReconciler(
  { sweeper, saldos }: { readonly sweeper: Sweeper; readonly saldos: Pick<Saldos, 'refundAbandoned'> },
  metrics: WorkerMetrics,
) {
  return {
    sweeper: noting(sweeper, {
      expire({ length }) {
        metrics.solicitudesEnded.with({ estado: 'VENCIDA' }).add(length);
        metrics.refunds.with({ causa: 'vencida' }).add(length);
      },
    }),
    saldos: noting(saldos, {
      refundAbandoned: (refunded) => metrics.refunds.with({ causa: 'abandonada' }).add(refunded),
    }),
  };
}

/** Milliseconds for which a look at the database answers every scrape, and that each of its parts may take. */
const BACKLOG_CACHE_MS = 5_000;
const BACKLOG_TIMEOUT_MS = 2_000;

/** Tells at a scrape what waits in the whole installation: one look at the database, bounded and shared by scrapes. */
export function observeBacklog(metrics: WorkerMetrics, backlog: Pick<ReturnType<typeof createBacklog>, 'read'>): void {
  metrics.collect<Backlog>({
    name: 'backlog',
    sets: [
      'queueDue',
      'queueUnderWay',
      'queueUnanswered',
      'queueSlots',
      'queueOldestDue',
      'pastDeadline',
      'webhooksDue',
      'webhooksOldestDue',
      'mailsDue',
      'mailsOldestDue',
      'readingsOldestDue',
      'captchasPending',
      'backupAge',
      'breakerOpen',
    ],
    cacheMs: BACKLOG_CACHE_MS,
    read: () => backlog.read({ timeoutMs: BACKLOG_TIMEOUT_MS }),
    apply({ queues, pastDeadline, webhooks, mails, oldestReadingSeconds, captchas, backupAgeSeconds, breakers }) {
      for (const { queue, due, underWay, unanswered, slots, oldestDueSeconds } of queues) {
        metrics.queueDue.with({ queue }).set(due);
        metrics.queueUnderWay.with({ queue }).set(underWay);
        metrics.queueUnanswered.with({ queue }).set(unanswered);
        metrics.queueSlots.with({ queue }).set(slots);
        metrics.queueOldestDue.with({ queue }).set(oldestDueSeconds);
      }
      metrics.pastDeadline.with({}).set(pastDeadline);
      metrics.webhooksDue.with({}).set(webhooks.due);
      metrics.webhooksOldestDue.with({}).set(webhooks.oldestDueSeconds);
      metrics.mailsDue.with({}).set(mails.due);
      metrics.mailsOldestDue.with({}).set(mails.oldestDueSeconds);
      metrics.readingsOldestDue.with({}).set(oldestReadingSeconds);
      metrics.captchasPending.with({}).set(captchas);
      if (backupAgeSeconds !== null) metrics.backupAge.with({}).set(backupAgeSeconds);
      for (const { host, isOpen } of breakers) metrics.breakerOpen.with({ host }).set(isOpen ? 1 : 0);
    },
  });
}

/** Tells at a scrape whether the storage answers in time: one that hangs fails nothing, and holds every step up. */
export function observeStorage(metrics: Pick<WorkerMetrics, 'collect'>, paquetes: Pick<Paquetes, 'ping'>): void {
  metrics.collect({
    name: 'storage',
    sets: [],
    cacheMs: BACKLOG_CACHE_MS,
    read: () => paquetes.ping(AbortSignal.timeout(BACKLOG_TIMEOUT_MS)),
    apply: () => {},
  });
}

/** Tells at a scrape which channels of the SAT fail, by the rules of `/estado`. */
export function observeCanales(
  metrics: Pick<WorkerMetrics, 'channelFailing' | 'collect'>,
  salud: Pick<SaludCanales, 'canales'>,
): void {
  metrics.collect<SaludCanal[]>({
    name: 'channels',
    sets: ['channelFailing'],
    cacheMs: CANALES_CACHE_MS,
    read: () => salud.canales(new Date()),
    apply(canales) {
      for (const { canal, estado } of canales)
        metrics.channelFailing.with({ canal }).set(estado === 'CON_FALLAS' ? 1 : 0);
    },
  });
}

/** Milliseconds for which a reading of the channels answers every scrape. */
const CANALES_CACHE_MS = 30_000;
