import { hostname } from 'node:os';
import { advanceSolicitud, assembleSolicitud, type ClaimedSolicitud, type CredencialSellada } from '@acuse/core';
import {
  createBoveda,
  createCaptchas,
  createClaims,
  createDocumentos,
  createHeartbeats,
  createOutbox,
  createRetention,
  createSaldos,
  createSatMetrics,
  createSweeper,
  openDatabase,
  requireSecretos,
} from '@acuse/db';
import { createConsumer, createQueue } from '@acuse/queue';
import { createHealth, type HealthCheck, type Logger, type Shutdown, serveHealth } from '@acuse/runtime';
import { openPaquetesS3 } from '@acuse/storage';
import { createOpener, idsOf, importWorkerPrivateKey, parseKeys } from '@acuse/vault';
import type { Role, WorkerConfig } from './config.ts';
import { createFailpoint } from './failpoint.ts';
import { openListas } from './listas.ts';
import { startCleanup } from './loops/cleanup.ts';
import { startReaper } from './loops/reaper.ts';
import { startReconciler } from './loops/reconciler.ts';
import { startRelay } from './loops/relay.ts';
import { startRetention } from './loops/retention.ts';
import { startSesiones } from './loops/sesiones.ts';
import { createRunner, type StepJob } from './runner.ts';
import { openSatOver } from './sat.ts';
import { startWatchdog } from './watchdog.ts';

/** Milliseconds between two looks of the watchdog. */
const WATCH_MS = 5_000;
/** Milliseconds between two looks for what is past its retention; while there is more, one follows the other. */
const RETENTION_EVERY_MS = 60_000;

/**
 * Builds and starts what this process's roles ask for; everything opened is registered with `shutdown` in the order of
 * opening.
 */
export async function startWorker(
  config: WorkerConfig,
  log: Logger,
  shutdown: Shutdown,
): Promise<{ healthUrl: string }> {
  const has = (role: Role) => config.WORKER_ROLES.includes(role);
  const queueSettings = { url: config.QUEUE_URL ?? config.DATABASE_URL, namespace: config.QUEUE_NAMESPACE };
  const checks: Record<string, HealthCheck> = {};
  const checkpoint = createFailpoint(config.FAILPOINT, config.NODE_ENV);

  const database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL,
    timeoutMs: config.DATABASE_TIMEOUT_MS,
    applicationName: 'acuse-worker',
  });
  shutdown.phase('database', () => database.close());
  checks['database'] = () => database.pool.query('SELECT 1');

  await requireSecretos(
    database,
    {
      ...(has('descargas')
        ? {
            WORKER_KEYS: idsOf('WORKER_KEYS', config.WORKER_KEYS),
            WORKER_PSKS: idsOf('WORKER_PSKS', config.WORKER_PSKS),
          }
        : {}),
      ...(has('descargas') || has('reaper') ? { SESSION_KEYS: idsOf('SESSION_KEYS', config.SESSION_KEYS) } : {}),
    },
    { siFaltan: config.SECRETOS_FALTANTES, log },
  );

  const paquetes = openPaquetesS3(config, {
    createBucket: config.S3_CREATE_BUCKET,
    compressionLevel: config.ZIP_LEVEL,
  });
  shutdown.phase('storage', () => paquetes.close());
  const claims = createClaims(database);
  const boveda = createBoveda(database);
  const sweeper = createSweeper(database);
  const heartbeats = createHeartbeats(database);

  const consume = (trabajo: StepJob, concurrency: number) => {
    const { queue } = trabajo;
    const runnerDeps = {
      claims,
      log,
      checkpoint,
      leaseSeconds: config.LEASE_SECONDS,
      retrySeconds: config.RETRY_SECONDS,
    };
    const runner = createRunner(runnerDeps, trabajo);
    const consumer = createConsumer(queueSettings, {
      queue,
      concurrency,
      handle: runner.answer,
      onError: (error) => log.warn({ queue, err: error }, 'queue error'),
    });
    shutdown.phase(`consume-${queue}`, () => consumer.close(config.SHUTDOWN_SECONDS * 1_000), {
      timeoutMs: (config.SHUTDOWN_SECONDS + 5) * 1_000,
    });
    const watchdog = startWatchdog({
      proceso: `${hostname()}:${process.pid}`,
      queue,
      slots: concurrency,
      consumer,
      progress: runner,
      heartbeats,
      log,
      everyMs: WATCH_MS,
      giveUp: () => void shutdown.close(`${queue} consumes nothing`).then(() => process.exit(1)),
    });
    shutdown.phase(`watch-${queue}`, () => watchdog.close());
    checks[`consume-${queue}`] = async () => {
      if (!watchdog.isHealthy()) throw new Error('idle although work is due');
    };
  };

  const metrics = createSatMetrics(database);
  shutdown.phase('medidor-sat', () => metrics.close());
  const abierto = has('descargas') || has('reaper') ? openSatOver(database, config, metrics) : null;
  if (abierto !== null) shutdown.phase('sat', abierto.close);

  if (abierto !== null && has('descargas')) {
    checks['storage'] = (signal) => paquetes.ping(signal);
    const { sat } = abierto;
    const opener = createOpener({
      keys: parseKeys('WORKER_KEYS', config.WORKER_KEYS, importWorkerPrivateKey),
      psks: parseKeys('WORKER_PSKS', config.WORKER_PSKS, (base64) => Buffer.from(base64, 'base64')),
    });
    const openSellada = (sellada: CredencialSellada, { id, cuentaId, rfc }: ClaimedSolicitud) =>
      opener.open(sellada.sobre, {
        solicitudId: id,
        cuenta: cuentaId,
        rfc,
        tipo: sellada.tipo,
        expiraEn: sellada.expiraEn,
      });
    const agenda = {
      primeraSegundos: config.SAT_POLL_FIRST_SECONDS,
      factor: config.SAT_POLL_FACTOR,
      maximaSegundos: config.SAT_POLL_MAX_SECONDS,
      portalSegundos: config.SAT_POLL_PORTAL_SECONDS,
      retrasadaSegundos: config.SAT_POLL_LATE_SECONDS,
      vaciaSegundos: config.SAT_EMPTY_AGAIN_SECONDS,
    };
    const deps = { claims, sat, paquetes, openSellada, agenda, checkpoint };
    consume(
      { queue: 'descargas', run: (claimed, signal) => advanceSolicitud(deps, claimed, signal) },
      config.DESCARGAS_CONCURRENCY,
    );
  }
  if (has('ensambles')) {
    checks['storage'] = (signal) => paquetes.ping(signal);
    const deps = { claims, paquetes, checkpoint };
    consume(
      { queue: 'ensambles', run: (claimed, signal) => assembleSolicitud(deps, claimed, signal) },
      config.ENSAMBLES_CONCURRENCY,
    );
  }
  if (has('relay')) {
    const queue = createQueue(queueSettings, { onError: (error) => log.debug({ err: error }, 'queue away') });
    shutdown.phase('queue', () => queue.close());
    const relay = await startRelay({
      outbox: createOutbox(database),
      queue,
      log,
      everyMs: config.RELAY_INTERVAL_MS,
      queueTimeoutMs: config.QUEUE_TIMEOUT_MS,
      graceSeconds: config.RECONCILER_GRACE_SECONDS,
    });
    shutdown.phase('relay', () => relay.close());
  }
  if (has('reconciler')) {
    const everyMs = config.RECONCILER_INTERVAL_MS;
    const retentionDays = config.RETENTION_DAYS;
    const reconciler = startReconciler({
      sweeper,
      saldos: createSaldos(database),
      log,
      everyMs,
      graceSeconds: config.RECONCILER_GRACE_SECONDS,
      retentionDays,
    });
    shutdown.phase('reconciler', () => reconciler.close());
    const limpieza = startCleanup({
      sweeper,
      documentos: createDocumentos(database),
      paquetes,
      log,
      everyMs,
      retentionDays,
      purgeSeconds: config.PURGE_GRACE_SECONDS,
    });
    shutdown.phase('limpieza', () => limpieza.close());
  }
  if (abierto !== null && has('reaper')) {
    const everyMs = config.REAPER_INTERVAL_MS;
    const reaper = startReaper({ boveda, log, everyMs });
    shutdown.phase('reaper', () => reaper.close());
    const retention = startRetention({
      retention: createRetention(database),
      log,
      everyMs: RETENTION_EVERY_MS,
      traceDays: config.TRACE_RETENTION_DAYS,
      auditDays: config.AUDIT_RETENTION_DAYS,
    });
    shutdown.phase('retention', () => retention.close());
    const sesiones = startSesiones({ sat: abierto, captchas: createCaptchas(database), log, everyMs });
    shutdown.phase('sesiones', () => sesiones.close());
  }

  if (has('listas')) openListas({ config, database, heartbeats, queueSettings, log, metrics }, shutdown);

  const health = createHealth({ checks });
  const server = await serveHealth(health, config.HEALTH_PORT, config.HEALTH_HOST);
  shutdown.phase('health', () => server.close());
  return { healthUrl: server.url };
}
