import { addDays, calendarDay, type FallaDeLectura, type Modo, type Paquetes, StaleEpoch } from '@acuse/core';
import { keepAlive, type OpenRole, OUTBOX, startLoop } from '@acuse/roles';
import { type DeadlineSettings, type Logger, linkSignals, uuidV7 } from '@acuse/runtime';
import { afterReading, dueOn, later, mesesDesde, periodoDe, siguienteLectura } from './agenda.ts';
import {
  type Almacenes,
  createAlmacenes,
  createTramos,
  type Peticion,
  type Tramos,
  type TramoTomado,
} from './db/index.ts';
import { LecturaIlegible } from './db/merge.ts';
import type { SincronizacionSettings } from './settings.ts';

/** Seconds for which a tramo is held without being held longer. */
const LEASE_SECONDS = 60;
/** Turns until a tramo is looked at again for which a subscription has no room: the SAT takes minutes at the least. */
const OCUPADA_TURNS = 12;
/** Seconds until one is tried again that failed on our side. */
const RETRY_SECONDS = 30;
/** Seconds until a period is asked for again whose solicitud ended without rows, or is doubted: doubling, to a day. */
const FIRST_FAILURE_SECONDS = 3_600;
const LAST_FAILURE_SECONDS = 86_400;
/** Answers in a row that are doubted until a period is left for another day; the newest days are doubted until they pass. */
const MAX_DUDOSAS = 5;
/** Months before this one that are looked for when the newest days are: an outage may have been long. */
const MONTHS_BACK_DAYS = 400;
/** Rows of a deleted subscription that one statement deletes. */
const REMOVED = 2_000;
/** Milliseconds between two looks for consents that are over and subscriptions that ended. */
const CLEAN_EVERY_MS = 60_000;

const HOUR_MS = 3_600_000;

interface Deps {
  readonly tramos: Tramos;
  readonly almacenes: Pick<Almacenes, 'merge' | 'removeRows'>;
  readonly paquetes: Pick<Paquetes, 'readCsv'>;
  readonly log: Logger;
  readonly now: () => Date;
  /** Whether readings of a subscription of this mode are charged. */
  readonly isCharged: (modo: Modo) => boolean;
  /** There is something in the outbox. */
  readonly wake: () => void;
}

interface AjustesSincronizacion {
  readonly everyMs: number;
  readonly concurrency: number;
  readonly aLaVez: number;
  readonly deadlineHours: number;
}

/** The role `sincronizacion`: asks for due periods and merges what came. It opens no credential. */
export const openSincronizacion: OpenRole<SincronizacionSettings & DeadlineSettings> = (context) => {
  const { config, database, paquetes, log, isCharged, wakes, closeLater } = context;
  const deps: Deps = {
    tramos: createTramos(database),
    almacenes: createAlmacenes(database),
    paquetes,
    log,
    isCharged,
    wake: () => wakes.wake(OUTBOX),
    now: () => new Date(),
  };
  const everyMs = config.SINCRONIZACION_INTERVAL_MS;
  const { work, clean } = createTurns(deps, {
    everyMs,
    concurrency: config.SINCRONIZACION_CONCURRENCY,
    aLaVez: config.SINCRONIZACION_A_LA_VEZ,
    deadlineHours: config.DEADLINE_HOURS,
  });
  closeLater('sincronizacion', startLoop({ name: 'sincronizacion', everyMs, log, turn: work }));
  closeLater('limpieza', startLoop({ name: 'sincronizacion-limpieza', everyMs: CLEAN_EVERY_MS, log, turn: clean }));
};

/** One turn of each of the loops of the role; each says whether there is more to do at once. */
export function createTurns(deps: Deps, ajustes: AjustesSincronizacion) {
  const { tramos, almacenes, log } = deps;
  return {
    /** Due readings. */
    async work(signal: AbortSignal): Promise<boolean> {
      const tomados = await tramos.take(ajustes.concurrency, LEASE_SECONDS);
      await Promise.all(tomados.map((tomado) => answer(deps, ajustes, tomado, signal)));
      return tomados.length === ajustes.concurrency;
    },

    /** Ended readings. */
    async clean(): Promise<boolean> {
      const over = await tramos.reap();
      if (over > 0) log.info({ consentimientos: over }, 'consents_expired');
      await tramos.forget(100);
      return (await almacenes.removeRows(REMOVED)) > 0;
    },
  };
}

/** One that is due: whatever fails on our side leaves it due again soon. */
async function answer(
  deps: Deps,
  ajustes: AjustesSincronizacion,
  tomado: TramoTomado,
  signal: AbortSignal,
): Promise<void> {
  const { tramos, log } = deps;
  try {
    if (tomado.solicitud === null) await ask(deps, ajustes, tomado);
    else await merge(deps, tomado, tomado.solicitud, signal);
  } catch (error) {
    if (error instanceof StaleEpoch) {
      log.info(nameOf(tomado), 'lease_lost');
      return;
    }
    if (!signal.aborted) log.error({ ...nameOf(tomado), err: error }, 'reading_failed');
    // A database that is away gives it back by the end of its lease.
    await tramos.postpone(tomado, signal.aborted ? 0 : RETRY_SECONDS).catch(() => {});
  }
}

const nameOf = ({ sincronizacionId, tipo, tramo }: TramoTomado) => ({
  sincronizacion: sincronizacionId,
  tipo,
  tramo: tramo.clase === 'MES' ? tramo.mes : tramo.clase === 'XML' ? 'xml' : 'reciente',
});

async function ask(
  { tramos, log, now, isCharged, wake }: Deps,
  { aLaVez, deadlineHours, everyMs }: AjustesSincronizacion,
  tomado: TramoTomado,
): Promise<void> {
  const { tramo, desde, frecuencia, modo, sincronizacionId } = tomado;
  const ahora = now();
  const hoy = calendarDay(ahora);
  if (tramo.clase === 'RECIENTE') await addMonths(tramos, tomado, hoy);
  const periodo = tramo.clase === 'XML' ? { desde: hoy, hasta: hoy } : periodoDe(tramo, { desde, hoy, frecuencia });
  // The month had begun by the clock of the process that added it.
  if (tramo.clase === 'MES' && tramo.mes > hoy) {
    await tramos.postpone(tomado, RETRY_SECONDS);
    return;
  }
  const solicitudId = uuidV7();
  const resultado: Peticion = await tramos.ask(tomado, {
    solicitudId,
    ...periodo,
    hoy,
    isGratis: !isCharged(modo),
    deadlineAt: new Date(ahora.getTime() + deadlineHours * HOUR_MS),
    aLaVez,
  });
  switch (resultado) {
    case 'PEDIDA':
      log.info({ ...nameOf(tomado), solicitud_id: solicitudId }, 'reading_asked');
      wake();
      return;
    case 'DESPLAZADO':
      return;
    case 'OCUPADA':
    case 'PAUSADA':
      await tramos.postpone(tomado, (OCUPADA_TURNS * everyMs) / 1_000);
      return;
    default:
      log.warn({ sincronizacion: sincronizacionId, motivo: resultado }, 'subscription_paused');
      // The reading is due once the subscription is resumed.
      await tramos.postpone(tomado, 0);
  }
}

/** Months that began since the subscription was made: the newest days have brought their first CFDI already. */
async function addMonths(tramos: Tramos, tomado: TramoTomado, hoy: string): Promise<void> {
  const { desde, frecuencia, minuto } = tomado;
  const meses = mesesDesde(later(desde, addDays(hoy, -MONTHS_BACK_DAYS)), hoy).flatMap((mes) => {
    const day = siguienteLectura({ clase: 'MES', mes }, mes, frecuencia);
    return day === null ? [] : [{ mes, dueAt: dueOn(day, minuto) }];
  });
  await tramos.addMonths(tomado, meses);
}

async function merge(
  deps: Deps,
  tomado: TramoTomado,
  solicitud: NonNullable<TramoTomado['solicitud']>,
  signal: AbortSignal,
): Promise<void> {
  const { tramos, almacenes, paquetes, log } = deps;
  const { estado, objectKey, motivo, isBorrado, creadaEn: pedidaEn } = solicitud;
  if (estado !== 'TERMINADA' || objectKey === null || isBorrado) {
    // Sent once more, it might lock the taxpayer's account at the SAT.
    if (motivo === 'CIEC_RECHAZADA' && (await tramos.pause(tomado.sincronizacionId, motivo, pedidaEn)))
      log.warn({ sincronizacion: tomado.sincronizacionId, motivo }, 'subscription_paused');
    // A new consent does not wait for readings that ended with the consent before.
    if (motivo === 'CONSENTIMIENTO_REVOCADO') {
      await tramos.failed(tomado, null, 0);
      return;
    }
    const why = isBorrado ? ('PAQUETE_BORRADO' satisfies FallaDeLectura) : (motivo ?? estado);
    log.warn({ ...nameOf(tomado), solicitud_id: solicitud.id, motivo: why }, 'reading_brought_nothing');
    await tramos.failed(tomado, why, isBorrado ? 0 : afterFailures(tomado.fallos));
    return;
  }
  const { almacenId, tipo, frecuencia, tramo, minuto } = tomado;
  const { id: solicitudId, desde, hasta, isConfirmada, isXml, pedido } = solicitud;
  const held = keepAlive(async () => {
    if (!(await tramos.extend(tomado, LEASE_SECONDS))) throw new StaleEpoch(solicitudId, tomado.epoch);
  }, LEASE_SECONDS);
  const linked = linkSignals([signal, held.lost]);
  try {
    const lectura = { almacenId, solicitudId, tipo, desde, hasta, pedidaEn, isConfirmada, isXml };
    const hecha = await almacenes.merge(lectura, paquetes.readCsv(objectKey, linked.signal, isXml), linked.signal);
    if (hecha === null) return;
    log.info({ ...nameOf(tomado), solicitud_id: solicitudId, ...hecha }, 'reading_merged');
    if (hecha.isDudosa && (tramo.clase !== 'MES' || tomado.fallos < MAX_DUDOSAS)) {
      await tramos.failed(tomado, 'DUDOSA' satisfies FallaDeLectura, afterFailures(tomado.fallos));
      return;
    }
    if (tramo.clase === 'XML') {
      await tramos.read(tomado, { dueAt: deps.now(), porConfirmar: 0 });
      return;
    }
    const { lecturas, porConfirmar } = tomado;
    const next = afterReading(tramo, { dia: pedido, frecuencia, isPrimera: lecturas === 0, porConfirmar, ...hecha });
    // Who moved the first day of the subscription back meanwhile is not told of the days before by this reading.
    const isPart = tramo.clase === 'MES' && desde > later(tomado.desde, tramo.mes);
    const dueAt = isPart ? deps.now() : next.dia === null ? null : dueOn(next.dia, minuto);
    if (dueAt === null && next.porConfirmar > 0)
      log.warn({ ...nameOf(tomado), solicitud_id: solicitudId }, 'reading_unconfirmed');
    await tramos.read(tomado, { dueAt, porConfirmar: next.porConfirmar });
  } catch (error) {
    if (!(error instanceof LecturaIlegible)) throw error;
    log.error({ ...nameOf(tomado), solicitud_id: solicitudId, err: error }, 'reading_illegible');
    await tramos.failed(tomado, 'ILEGIBLE' satisfies FallaDeLectura, LAST_FAILURE_SECONDS);
  } finally {
    linked.release();
    held.stop();
  }
}

const afterFailures = (fallos: number) =>
  Math.min(FIRST_FAILURE_SECONDS * 2 ** Math.min(fallos, 16), LAST_FAILURE_SECONDS);
