import { hostname } from 'node:os';
import { ListaRechazada, SatError, type SatMetrics } from '@acuse/core';
import { createCargaListas, type Database, type Heartbeats } from '@acuse/db';
import { createScheduledConsumer, createScheduler, type QueueSettings } from '@acuse/queue';
import { deadline, type Logger, type Shutdown } from '@acuse/runtime';
import { createLista69b } from '@acuse/sat';
import type { WorkerConfig } from './config.ts';
import { startLoop } from './loop.ts';

const TZ = 'America/Mexico_City';
/** Hours without a word from the source after which the list is fetched without waiting for its time of day. */
const MAX_HORAS = 48;
/** The real list has had more than fourteen thousand rows since 2025; a simulator's has what it likes. */
const MIN_FILAS = { real: 10_000, simulador: 1 };
/** Turns between two looks at the schedule: a queue that was emptied has lost it. */
const SCHEDULE_TURNS = 12;

/**
 * The role `listas`: keeps list 69-B from growing old whatever happens to the queue. Loads it once a day by the queue's
 * schedule, which it keeps there, and whenever the database says so (there is none, it is too old, an attempt failed,
 * the operator asked).
 */
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
  const { SAT_LISTA_69B_URL: url, SAT_BASE_URL: baseUrl, SAT_TLS_CA: tlsCa, LISTAS_INTERVAL_MS: everyMs } = config;
  const lista = createLista69b({
    metrics,
    ...(url === undefined ? {} : { url }),
    http: { ...(baseUrl === undefined ? {} : { baseUrl }), ...(tlsCa === undefined ? {} : { tlsCa }) },
  });
  shutdown.phase('lista-69b', () => lista.close());
  const { abrir } = lista;
  const carga = createCargaListas(database);
  const minFilas = config.EFOS_MIN_FILAS ?? (baseUrl === undefined ? MIN_FILAS.real : MIN_FILAS.simulador);
  const proceso = `${hostname()}:${process.pid}:listas`;

  /** What keeps the list from being loaded is noted beside it: the next attempt follows from that note. */
  async function load(signal: AbortSignal): Promise<void> {
    try {
      const loaded = await carga.loadList({ abrir, minFilas }, signal);
      if (loaded.resultado === 'OTRA_EN_CURSO') return;
      const { fechaCorte, filas, sha256 } = loaded.version;
      log.info({ resultado: loaded.resultado, fechaCorte, filas, sha256 }, 'efos_list_current');
    } catch (error) {
      if (signal.aborted) return;
      const isKnown = error instanceof SatError || error instanceof ListaRechazada;
      log.error(isKnown ? { motivo: error.message } : { err: error }, 'efos_list_not_loaded');
    }
    await heartbeats.beat({ proceso, rol: 'listas', consumed: true });
  }

  const consumer = createScheduledConsumer(queueSettings, {
    nombre: 'listas',
    handle: load,
    onError: (error) => log.warn({ queue: 'listas', err: error }, 'queue_failed'),
  });
  shutdown.phase('consume-listas', () => consumer.close(0));
  const scheduler = createScheduler(
    queueSettings,
    { nombre: 'listas', cron: config.EFOS_CRON, tz: TZ },
    { onError: (error) => log.debug({ err: error }, 'queue_away') },
  );
  shutdown.phase('programador-listas', () => scheduler.close());
  const schedule = startLoop({
    name: 'listas-horario',
    everyMs: everyMs * SCHEDULE_TURNS,
    log,
    turn: async (signal) => {
      await deadline(config.QUEUE_TIMEOUT_MS, (limit) => scheduler.ensure(limit), signal);
      return false;
    },
  });
  let turns = 0;
  const pending = startLoop({
    name: 'listas',
    everyMs,
    log,
    turn: async (signal) => {
      const motivo = await carga.pendiente({ maxHoras: MAX_HORAS });
      if (motivo === null) return false;
      if (turns++ === 0 || motivo !== 'SIN_LISTA') log.info({ motivo }, 'efos_list_due');
      await load(signal);
      return false;
    },
  });
  shutdown.phase('listas', () => Promise.all([pending.close(), schedule.close()]));
}
