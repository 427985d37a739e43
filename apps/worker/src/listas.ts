import { hostname } from 'node:os';
import type { SatMetrics } from '@acuse/core';
import { createCargaListas, type Database, type Heartbeats } from '@acuse/db';
import { createScheduledConsumer, createScheduler, type QueueSettings } from '@acuse/queue';
import type { Logger, Shutdown } from '@acuse/runtime';
import { createLista69b, type Lista69b } from '@acuse/sat';
import type { WorkerConfig } from './config.ts';
import { createListas } from './jobs/listas.ts';
import { startListas } from './loops/listas.ts';

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
  const load = createListas({
    carga,
    abrir: lista.abrir,
    minFilas:
      config.EFOS_MIN_FILAS ?? (config.SAT_BASE_URL === undefined ? MIN_FILAS.real : MIN_FILAS.simulador),
    log,
    beat: () =>
      heartbeats.beat({ proceso: `${hostname()}:${process.pid}:listas`, rol: 'listas', consumed: true }),
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
