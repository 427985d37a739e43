import type { Server } from 'node:http';
import { createSemaphore, type OpinionesPublicas, type SesionesPortal } from '@acuse/core';
import {
  assertWritable,
  createBreakerState,
  createCaptchas,
  createSatMetrics,
  createSesionesPortal,
  type Database,
  notifyOutbox,
  openDatabase,
  requireSecretos,
} from '@acuse/db';
import { type Metrics, observeSat, openMeasured, openMetrics } from '@acuse/metrics';
import { closeServer, createHealth, type Logger, listen, type Shutdown, urlOf, uuidV7 } from '@acuse/runtime';
import { createOpinionesPublicas, openSat, openSatDePruebas } from '@acuse/sat';
import { type ApiConfig, settingsOf } from '@acuse/settings/api';
import { openPaquetesS3 } from '@acuse/storage';
import { openTracing, type Tracing } from '@acuse/tracing';
import { createSellado, idsOf, openClaves, openKeyring, type TrustBundle } from '@acuse/vault';
import { createApp } from './app.ts';
import { type ApiDeps, type Autoridad, EVENTOS, guardPort, openPorts } from './deps.ts';
import { FEATURES, loadAll } from './features.ts';
import { createCaminos, createWake } from './http/state.ts';
import { createServerFor } from './server.ts';

/**
 * Builds and starts the API. Registers how to stop it: `/readyz` refuses first, then running requests end, then the
 * notes in memory are written, then the connections close.
 */
export async function startApi(
  config: ApiConfig,
  log: Logger,
  shutdown: Shutdown,
): Promise<{ readonly url: string; readonly server: Server; readonly metricsUrl: string | null }> {
  const operations = await loadAll();
  const { metrics, url: metricsUrl } = await openMetrics('api', config, { log, shutdown });
  const tracing = await openTracing('api', config, { log, shutdown });
  const deps = await createDeps(config, { log, shutdown, metrics, tracing });
  const api = createApp(operations, deps);
  shutdown.phase('notes', () => api.close());
  const server = createServerFor(api, config, deps.newId);
  const port = await listen(server, config.API_PORT, config.API_HOST, shutdown.announced);
  shutdown.phase('server', () => closeServer(server), { timeoutMs: config.SHUTDOWN_SECONDS * 1_000 });
  shutdown.announced.addEventListener('abort', () => deps.health.drain(), { once: true });
  return { url: urlOf(config.API_HOST, port), server, metricsUrl };
}

const WAKE_EVERY_MS = 20;

/**
 * Builds every adapter of the process and registers how each is closed. Throws `SecretoFaltante` when rows hang on an
 * id that is gone.
 */
async function createDeps(
  config: ApiConfig,
  { log, shutdown, metrics, tracing }: Pick<ApiDeps, 'log' | 'metrics' | 'tracing'> & { readonly shutdown: Shutdown },
): Promise<ApiDeps> {
  const database = openMeasured(
    openDatabase,
    {
      url: config.DATABASE_URL,
      poolSize: config.DATABASE_POOL,
      timeoutMs: config.API_DATABASE_TIMEOUT_MS,
      applicationName: 'acuse-api',
    },
    { metrics, shutdown },
  );
  await requireSecretos(
    database,
    {
      API_KEY_PEPPERS: idsOf('API_KEY_PEPPERS', config.API_KEY_PEPPERS),
      KEYRING: idsOf('KEYRING', config.KEYRING),
      SESSION_KEYS: idsOf('SESSION_KEYS', config.SESSION_KEYS),
      WEBHOOK_KEYS: idsOf('WEBHOOK_KEYS', config.WEBHOOK_KEYS),
    },
    { siFaltan: config.SECRETOS_FALTANTES, log },
  );
  const paquetes = openPaquetesS3(config, { createBucket: config.S3_CREATE_BUCKET });
  shutdown.phase('storage', () => paquetes.close());
  const settings = settingsOf(config);
  const claves = await openClaves(config);
  return {
    ...openPorts(database),
    ...Object.assign({}, ...FEATURES.map((feature) => feature.open?.(config))),
    eventos: EVENTOS,
    ...openAuthority(database, { config, claves, shutdown, metrics, tracing, timeoutMs: settings.databaseTimeoutMs }),
    apagado: shutdown.signal,
    paquetes,
    ...claves,
    wake: createWake({ send: () => notifyOutbox(database), everyMs: WAKE_EVERY_MS, log }),
    health: createHealth({ checks: { database: () => assertWritable(database) } }),
    now: () => new Date(),
    newId: uuidV7,
    log,
    metrics,
    tracing,
    settings,
  };
}

/**
 * The tax authority, with the sessions, breakers and captchas that all processes share over the database, and beside it
 * the simulator of the test keys. Errors, and no answer within `timeoutMs`, are reported as anywhere else in a call.
 */
function openAuthority(
  database: Database,
  {
    config,
    claves,
    shutdown,
    metrics,
    tracing,
    timeoutMs,
  }: {
    readonly config: ApiConfig;
    readonly claves: { readonly trust: TrustBundle; readonly trustPruebas: TrustBundle };
    readonly shutdown: Shutdown;
    readonly metrics: Metrics<'api'>;
    readonly tracing: Tracing;
    readonly timeoutMs: number;
  },
): Autoridad & Pick<ApiDeps, 'pruebas'> {
  const sums = createSatMetrics(database);
  shutdown.phase('medidor-sat', () => sums.close());
  const compartido = {
    estado: createBreakerState(database),
    captchas: guardPort(createCaptchas(database), timeoutMs),
    sellado: createSellado(openKeyring('SESSION_KEYS', config.SESSION_KEYS)),
  };
  const around = (sesiones: SesionesPortal, trust: TrustBundle, opinionesUrl: string | undefined) => ({
    sesiones: guardPort(sesiones, timeoutMs),
    trust,
    opinionesPublicas: openOpiniones(opinionesUrl, shutdown),
    turnos: createSemaphore({ perKey: config.SAT_POR_RFC, total: config.SAT_EN_TOTAL }),
    caminos: createCaminos(),
  });

  const own = around(createSesionesPortal(database), claves.trust, config.OPINION_PUBLICA_URL);
  const { sat, close } = openSat(config, {
    ...compartido,
    sesiones: own.sesiones,
    metrics: observeSat(metrics, sums, tracing.sat),
  });
  shutdown.phase('sat', close);

  const url = config.SAT_PRUEBAS_URL;
  if (url === undefined) return { ...own, sat, pruebas: null };
  const opiniones = `${url.replace(/\/+$/, '')}/opinion-publica`;
  const pruebas = around(createSesionesPortal(database, { isPruebas: true }), claves.trustPruebas, opiniones);
  const simulador = openSatDePruebas(config, url, {
    ...{ ...compartido, sesiones: pruebas.sesiones },
    requests: tracing.sat,
  });
  shutdown.phase('sat-pruebas', simulador.close);
  return { ...own, sat, pruebas: { ...pruebas, sat: simulador.sat } };
}

function openOpiniones(url: string | undefined, shutdown: Shutdown): OpinionesPublicas | null {
  if (url === undefined) return null;
  const fuente = createOpinionesPublicas({ url });
  shutdown.phase('opiniones-publicas', () => fuente.close());
  return fuente;
}
