import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AccesoMetrics,
  advanceSolicitud,
  assembleSolicitud,
  type ClaimedSolicitud,
  type CredencialSellada,
  type Modo,
  type Sat,
  SatError,
  type SatMetrics,
} from '@acuse/core';
import {
  assertWritable,
  createBacklog,
  createBoveda,
  createBreakerState,
  createCaptchas,
  createClaims,
  createDocumentos,
  createEsperas,
  createHeartbeats,
  createListados,
  createOutbox,
  createRetention,
  createRfcsListados,
  createSaldos,
  createSaludCanales,
  createSatMetrics,
  createSesionesPortal,
  createSweeper,
  type Database,
  openDatabase,
  requireSecretos,
} from '@acuse/db';
import { observePool, observeSat, openMetrics } from '@acuse/metrics';
import { type Consumer, createConsumer, createQueue, NotBegun } from '@acuse/queue';
import { createHealth, type HealthCheck, type Logger, modoOf, type Shutdown, serveHealth } from '@acuse/runtime';
import { openSat, openSatDePruebas } from '@acuse/sat';
import { openPaquetesS3 } from '@acuse/storage';
import { openTracing } from '@acuse/tracing';
import { CredencialIlegible, createSellado, idsOf, openKeyring, openOpener, openOwnSealer } from '@acuse/vault';
import { type Role, secretosDe, type WorkerConfig } from './config.ts';
import { createAsked } from './descargas/asked.ts';
import { openCapsulas } from './descargas/capsulas.ts';
import { holdRfcsListados } from './descargas/rfcs-listados.ts';
import { openCorreo } from './envios/correo.ts';
import { openWebhooks } from './envios/webhooks.ts';
import { openListas } from './listas.ts';
import {
  meterClaims,
  meterPaquetes,
  meterReconciler,
  noteEsperas,
  observeBacklog,
  observeCanales,
  observeListados,
  observeStorage,
} from './metering.ts';
import { startReaper, startRetention, startSesiones } from './reaper.ts';
import { startCleanup, startReconciler } from './reconciler.ts';
import { startRelay } from './relay.ts';
import { openSincronizacion } from './sincronizacion.ts';
import { createFailpoint, createRunner, type StepJob, startWatchdog } from './steps.ts';
import { tracePaquetes } from './tracing.ts';

/** Milliseconds between two looks of the watchdog. */
const WATCH_MS = 5_000;
/** Milliseconds that the end of a process waits for its last heartbeats when nothing else keeps it. */
const LAST_BEAT_MS = 1_000;

/** Why a process takes no wake-ups, as its health tells it. */
const DATABASE_AWAY = 'DATABASE_AWAY';

/** Milliseconds between two looks at which versions of the lists packages are crossed with. */
const LISTS_EVERY_MS = 60_000;

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
  const notes: (() => Record<string, string>)[] = [];
  const checkpoint = createFailpoint(config.FAILPOINT, config.NODE_ENV);
  const closeLater = <T extends { close(): unknown }>(name: string, opened: T): T => {
    shutdown.phase(name, () => opened.close());
    return opened;
  };

  const { metrics } = await openMetrics('worker', config, { log, shutdown });
  const tracing = await openTracing('worker', config, { log, shutdown });
  const poolWait = metrics.poolWait.with({});
  const database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL,
    timeoutMs: config.DATABASE_TIMEOUT_MS,
    applicationName: 'acuse-worker',
    onWait: (seconds) => poolWait.observe(seconds),
  });
  closeLater('database', database);
  observePool(metrics, database.pool, config.DATABASE_POOL);
  checks['database'] = () => assertWritable(database);
  const ids = Object.fromEntries(secretosDe(config.WORKER_ROLES).map(({ name }) => [name, idsOf(name, config[name])]));
  await requireSecretos(database, ids, { siFaltan: config.SECRETOS_FALTANTES, log });

  const storage = { createBucket: config.S3_CREATE_BUCKET, compressionLevel: config.ZIP_LEVEL };
  const stored = meterPaquetes(closeLater('storage', openPaquetesS3(config, storage)), metrics);
  const paquetes = tracePaquetes(stored, tracing);
  /** Before a simulator in the SAT's place every key is a test key, and costs as one before the SAT would. */
  const isCharged = (modo: Modo) => modoOf(config) === 'test' || modo === 'live';
  const asked = createAsked();
  const proceso = `${hostname()}:${process.pid}`;
  const pasoEnCurso = () => ({ proceso, consultas: asked.soFar() });
  const noted = noteEsperas(createClaims(database, { pasoEnCurso }), { esperas: createEsperas(database), log });
  const claims = meterClaims(noted, { metrics, log, isCharged });
  const heartbeats = createHeartbeats(database);

  const consumers: Consumer[] = [];
  const watchdogs: { close(): Promise<void> }[] = [];
  /**
   * Stops them together: one after the other, the last would go on taking rings while the first waits for its steps,
   * or for a database that leaves a heartbeat unanswered.
   */
  const stopConsuming = async () => {
    const lastBeats = Promise.all(watchdogs.map((each) => each.close()));
    await Promise.all(consumers.map((each) => each.close(config.SHUTDOWN_SECONDS * 1_000)));
    await Promise.race([lastBeats, sleep(LAST_BEAT_MS, undefined, { ref: false })]);
  };
  /** Of the relay of this process, where it has one. */
  let wakeRelay = () => {};
  let wakeListados = () => {};

  const consume = (trabajo: StepJob, concurrency: number) => {
    const { queue } = trabajo;
    checks['storage'] = (signal) => paquetes.ping(signal);
    const { LEASE_SECONDS: leaseSeconds, RETRY_SECONDS: retrySeconds } = config;
    const runner = createRunner(
      { claims, log, checkpoint, metrics, asked, tracing, leaseSeconds, retrySeconds, freed: () => wakeRelay() },
      trabajo,
    );
    const consumer = createConsumer(queueSettings, {
      queue,
      concurrency,
      handle: runner.answer,
      onError(error) {
        if (error instanceof NotBegun) log.warn({ queue, err: error }, 'queue_paused');
        else log.warn({ queue, err: error }, 'queue_failed');
      },
    });
    if (consumers.length === 0) observeStorage(metrics, paquetes);
    if (consumers.length === 0)
      shutdown.phase('consume', stopConsuming, { timeoutMs: (config.SHUTDOWN_SECONDS + 5) * 1_000 });
    consumers.push(consumer);
    const watchdog = startWatchdog({
      proceso,
      queue,
      slots: concurrency,
      consumer,
      awaySeconds: config.DATABASE_AWAY_SECONDS,
      progress: runner,
      heartbeats,
      log,
      everyMs: WATCH_MS,
      giveUp: () => void shutdown.close(`${queue} consumes nothing`).then(() => process.exit(1)),
    });
    watchdogs.push(watchdog);
    notes.push(() => (consumer.isPaused() ? { [`consume-${queue}`]: DATABASE_AWAY } : {}));
    checks[`consume-${queue}`] = async () => {
      if (consumer.isPaused()) throw Object.assign(new Error('paused'), { code: DATABASE_AWAY });
      if (!watchdog.isHealthy()) throw new Error('idle although work is due');
    };
  };

  /** Who hears of every request to the SAT, and to a simulator beside it. */
  const requests: SatMetrics = {
    record(measurement) {
      asked.record(measurement);
      tracing.sat.record(measurement);
    },
  };
  const sums = closeLater('medidor-sat', createSatMetrics(database));
  const satMetrics = observeSat(metrics, sums, requests);
  const opensSat = has('descargas') || has('reaper');
  const abierto = opensSat ? closeLater('sat', openSats(database, config, { satMetrics, requests })) : null;

  if (has('relay')) {
    const onError = (error: Error) => log.debug({ err: error }, 'queue_away');
    const queue = closeLater('queue', createQueue(queueSettings, { onError }));
    const relay = await startRelay({
      outbox: createOutbox(database),
      queue,
      log,
      everyMs: config.RELAY_INTERVAL_MS,
      queueTimeoutMs: config.QUEUE_TIMEOUT_MS,
      graceSeconds: config.RECONCILER_GRACE_SECONDS,
    });
    wakeRelay = relay.wake;
    closeLater('relay', relay);
  }
  if (has('reconciler')) {
    const { sweeper, saldos } = meterReconciler(
      { sweeper: createSweeper(database), saldos: createSaldos(database) },
      metrics,
    );
    const common = { sweeper, log, everyMs: config.RECONCILER_INTERVAL_MS, retentionDays: config.RETENTION_DAYS };
    observeBacklog(metrics, createBacklog(database));
    observeListados(metrics, createListados(database));
    observeCanales(metrics, createSaludCanales(database));
    const graceSeconds = config.RECONCILER_GRACE_SECONDS;
    closeLater('reconciler', startReconciler({ ...common, saldos, graceSeconds }));
    const documentos = createDocumentos(database);
    const purgeSeconds = config.PURGE_GRACE_SECONDS;
    closeLater('limpieza', startCleanup({ ...common, documentos, paquetes, purgeSeconds }));
  }
  if (abierto !== null && has('reaper')) {
    const common = { log, everyMs: config.REAPER_INTERVAL_MS };
    closeLater('reaper', startReaper({ ...common, boveda: createBoveda(database) }));
    const retention = startRetention({
      retention: createRetention(database),
      log,
      everyMs: RETENTION_EVERY_MS,
      traceDays: config.TRACE_RETENTION_DAYS,
      auditDays: config.AUDIT_RETENTION_DAYS,
    });
    closeLater('retention', retention);
    closeLater('sesiones', startSesiones({ ...common, sat: abierto, captchas: createCaptchas(database) }));
  }
  if (has('webhooks')) await openWebhooks({ config, database, heartbeats, log, metrics, tracing }, shutdown);
  if (has('correo')) await openCorreo({ config, database, log, metrics }, shutdown);
  if (has('listas'))
    openListas(
      { config, database, heartbeats, queueSettings, log, metrics: satMetrics, loaded: () => wakeListados() },
      shutdown,
    );

  if (has('sincronizacion'))
    openSincronizacion({ config, database, paquetes, log, isCharged, wake: () => wakeRelay() }, shutdown);

  // What is opened last is closed first: whoever leaves takes nothing new from then on.
  if (abierto !== null && has('descargas')) {
    const opener = openOpener(config.WORKER_KEYS, config.WORKER_PSKS);
    const openSellada = (
      { sobre, tipo, expiraEn }: CredencialSellada,
      { id, sincronizacionId, cuentaId: cuenta, rfc }: ClaimedSolicitud,
    ) => {
      try {
        return opener.open(sobre, { solicitudId: sincronizacionId ?? id, cuenta, rfc, tipo, expiraEn });
      } catch (error) {
        if (!(error instanceof CredencialIlegible)) throw error;
        const why = opener.lacksKey(sobre) ? 'FALTA_LLAVE' : 'ALTERADA';
        log.error({ solicitud_id: id, motivo: why }, 'sealed_copy_not_opened');
        return why;
      }
    };
    const agenda = {
      primeraSegundos: config.SAT_POLL_FIRST_SECONDS,
      factor: config.SAT_POLL_FACTOR,
      maximaSegundos: config.SAT_POLL_MAX_SECONDS,
      portalSegundos: config.SAT_POLL_PORTAL_SECONDS,
      retrasadaSegundos: config.SAT_POLL_LATE_SECONDS,
      vaciaSegundos: config.SAT_EMPTY_AGAIN_SECONDS,
    };
    const sealer = openOwnSealer(config.WORKER_KEYS, config.WORKER_PSKS);
    const capsulas = openCapsulas({ database, opener, sealer, log });
    const deps = { claims, paquetes, openSellada, capsulas, agenda, checkpoint };
    const run: StepJob['run'] = (claimed, signal) =>
      advanceSolicitud({ ...deps, sat: abierto.of(claimed.modo) }, claimed, signal);
    consume({ queue: 'descargas', run }, config.DESCARGAS_CONCURRENCY);
  }
  if (has('ensambles')) {
    const lector = createRfcsListados(database);
    const listados = closeLater('listados', holdRfcsListados({ lector, log, metrics, everyMs: LISTS_EVERY_MS }));
    wakeListados = listados.wake;
    const deps = { claims, paquetes, checkpoint, listados: listados.current };
    const run: StepJob['run'] = (claimed, signal) => assembleSolicitud(deps, claimed, signal);
    consume({ queue: 'ensambles', run }, config.ENSAMBLES_CONCURRENCY);
  }

  const health = createHealth({ checks, notes: () => Object.assign({}, ...notes.map((note) => note())) });
  const server = closeLater('health', await serveHealth(health, config.HEALTH_PORT, config.HEALTH_HOST));
  return { healthUrl: server.url };
}

/** Nobody: a test solicitud waits for its simulator to be set again, and never goes to the SAT. */
const NO_PRUEBAS: Sat = {
  send: () => Promise.reject(new SatError('NO_RESPONDE', { codigo: 'SIN_SIMULADOR', detalle: 'SAT_PRUEBAS_URL' })),
};

/**
 * The tax authority, with the sessions, breakers and captchas that all processes share over the database, and the
 * simulator of the test keys beside it.
 */
function openSats(
  database: Database,
  config: WorkerConfig,
  { satMetrics, requests }: { readonly satMetrics: SatMetrics & AccesoMetrics; readonly requests: SatMetrics },
) {
  const compartido = {
    estado: createBreakerState(database),
    captchas: createCaptchas(database),
    // A step that would wait gives its claim back: its slot is for others meanwhile.
    isImpatient: true,
    sellado: createSellado(openKeyring('SESSION_KEYS', config.SESSION_KEYS)),
  };
  const own = openSat(config, { ...compartido, sesiones: createSesionesPortal(database), metrics: satMetrics });
  const sesiones = createSesionesPortal(database, { isPruebas: true });
  const { SAT_PRUEBAS_URL: url } = config;
  const pruebas = url === undefined ? null : openSatDePruebas(config, url, { ...compartido, sesiones, requests });
  const all = [own, ...(pruebas === null ? [] : [pruebas])];
  return {
    /** Whom a solicitud of this mode is asked of: a simulator in the SAT's place is asked by all of them. */
    of: (modo: Modo): Sat => (modoOf(config) === 'test' || modo === 'live' ? own.sat : (pruebas?.sat ?? NO_PRUEBAS)),
    async logout(signal: AbortSignal): Promise<number> {
      const counts = await Promise.all(all.map((each) => each.logout(signal)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async close(): Promise<void> {
      await Promise.all(all.map((each) => each.close()));
    },
  };
}
