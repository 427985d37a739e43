import { hostname } from 'node:os';
import { type AbrirListaEfos, type CargaListas, ListaRechazada, SatError, type SatMetrics } from '@acuse/core';
import { createCargaListas, type Database, type Heartbeats } from '@acuse/db';
import { createScheduledConsumer, createScheduler, type QueueSettings, type Scheduler } from '@acuse/queue';
import { deadline, type Logger, type Shutdown } from '@acuse/runtime';
import { createLista69b, type Lista69b } from '@acuse/sat';
import type { WorkerConfig } from './config.ts';
import { startLoop } from './loop.ts';

/** Turns between two looks at the schedule: a queue that was emptied has lost it. */
const SCHEDULE_TURNS = 12;

/**
 * Keeps the list from growing old whatever happens to the queue: loads it when the database says so (there is none, it
 * is too old, an attempt failed, the operator asked), and keeps the daily schedule in the queue.
 */
function startListas(deps: {
  carga: Pick<CargaListas, 'pendiente'>;
  load: (signal: AbortSignal) => Promise<void>;
  scheduler: Scheduler;
  log: Logger;
  everyMs: number;
  /** Hours without a word from the source after which the list is fetched again. */
  maxHoras: number;
  /** Milliseconds after which the queue counts as away. */
  queueTimeoutMs: number;
}) {
  const { carga, load, scheduler, log, everyMs, maxHoras, queueTimeoutMs } = deps;
  let turns = 0;
  const schedule = startLoop({
    name: 'listas-horario',
    everyMs: everyMs * SCHEDULE_TURNS,
    log,
    turn: async (signal) => {
      await deadline(queueTimeoutMs, (limit) => scheduler.ensure(limit), signal);
      return false;
    },
  });
  const pending = startLoop({
    name: 'listas',
    everyMs,
    log,
    turn: async (signal) => {
      const motivo = await carga.pendiente({ maxHoras });
      if (motivo === null) return false;
      if (turns++ === 0 || motivo !== 'SIN_LISTA') log.info({ motivo }, 'list 69-B is to be loaded');
      await load(signal);
      return false;
    },
  });
  return {
    async close() {
      await Promise.all([pending.close(), schedule.close()]);
    },
  };
}

const TZ = 'America/Mexico_City';
/** Hours after which the list is fetched without waiting for its time of day. */
const MAX_HORAS = 48;
/** The real list has had more than fourteen thousand rows since 2025; a simulator's has what it likes. */
const MIN_FILAS = { real: 10_000, simulador: 1 };

function openLista(config: WorkerConfig, metrics: SatMetrics): Lista69b {
  return createLista69b({
    metrics,
    ...(config.SAT_LISTA_69B_URL === undefined ? {} : { url: config.SAT_LISTA_69B_URL }),
    http: {
      ...(config.SAT_BASE_URL === undefined ? {} : { baseUrl: config.SAT_BASE_URL }),
      ...(config.SAT_TLS_CA === undefined ? {} : { tlsCa: config.SAT_TLS_CA }),
    },
  });
}

interface LoadDeps {
  readonly carga: Pick<CargaListas, 'cargar'>;
  readonly abrir: AbrirListaEfos;
  /** Rows that the list has at least. */
  readonly minFilas: number;
  readonly log: Logger;
  /** Called when the list was looked at, whatever came of it. */
  readonly beat: () => Promise<unknown>;
}

/**
 * Brings the list of article 69-B up to date. What keeps it from that is logged and noted beside the list, whose
 * current version goes on serving; the next attempt follows from that note.
 */
function createLoad({ carga, abrir, minFilas, log, beat }: LoadDeps) {
  return async (signal: AbortSignal): Promise<void> => {
    try {
      const resultado = await carga.cargar({ abrir, minFilas }, signal);
      if (resultado.resultado === 'OTRA_EN_CURSO') return;
      const { fechaCorte, filas, sha256 } = resultado.version;
      log.info({ resultado: resultado.resultado, fechaCorte, filas, sha256 }, 'list 69-B is up to date');
    } catch (error) {
      if (signal.aborted) return;
      const isKnown = error instanceof SatError || error instanceof ListaRechazada;
      log.error(isKnown ? { motivo: error.message } : { err: error }, 'list 69-B was not loaded');
    }
    await beat();
  };
}

/** The role `listas`: loads list 69-B once a day, and whenever the database says that it should be. */
export function openListas(
  {
    config,
    database,
    heartbeats,
    queueSettings,
    log,
    metrics,
  }: {
    config: WorkerConfig;
    database: Database;
    heartbeats: Heartbeats;
    queueSettings: QueueSettings;
    log: Logger;
    metrics: SatMetrics;
  },
  shutdown: Shutdown,
): void {
  const lista = openLista(config, metrics);
  shutdown.phase('lista-69b', () => lista.close());
  const carga = createCargaListas(database);
  const load = createLoad({
    carga,
    abrir: lista.abrir,
    minFilas: config.EFOS_MIN_FILAS ?? (config.SAT_BASE_URL === undefined ? MIN_FILAS.real : MIN_FILAS.simulador),
    log,
    beat: () => heartbeats.beat({ proceso: `${hostname()}:${process.pid}:listas`, rol: 'listas', consumed: true }),
  });
  const consumer = createScheduledConsumer(queueSettings, {
    nombre: 'listas',
    handle: load,
    onError: (error) => log.warn({ queue: 'listas', err: error }, 'queue error'),
  });
  shutdown.phase('consume-listas', () => consumer.close(0));
  const scheduler = createScheduler(
    queueSettings,
    { nombre: 'listas', cron: config.EFOS_CRON, tz: TZ },
    { onError: (error) => log.debug({ err: error }, 'queue away') },
  );
  shutdown.phase('programador-listas', () => scheduler.close());
  const loop = startListas({
    carga,
    load,
    scheduler,
    log,
    everyMs: config.LISTAS_INTERVAL_MS,
    maxHoras: MAX_HORAS,
    queueTimeoutMs: config.QUEUE_TIMEOUT_MS,
  });
  shutdown.phase('listas', () => loop.close());
}
