import type { Server } from 'node:http';
import { createSemaphore, type SesionesPortal } from '@acuse/core';
import {
  createBreakerState,
  createCaptchas,
  createSatMetrics,
  createSesionesPortal,
  notifyOutbox,
  openDatabase,
} from '@acuse/db';
import { observeSat } from '@acuse/metrics';
import { openProcess, type ProcessParts } from '@acuse/roles/process';
import { closeServer, type Logger, listen, type Shutdown, urlOf, uuidV7 } from '@acuse/runtime';
import { createOpinionesPublicas, openSat, openSatDePruebas } from '@acuse/sat';
import { type ApiConfig, settingsOf } from '@acuse/settings/api';
import { openPaquetesS3 } from '@acuse/storage';
import { createSellado, openClaves, openKeyring, publishedKeys, type TrustBundle } from '@acuse/vault';
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
  const parts = await openProcess('api', config, {
    log,
    shutdown,
    tracing: config,
    open: openDatabase,
    timeoutMs: config.API_DATABASE_TIMEOUT_MS,
    secretos: ['API_KEY_PEPPERS', 'KEYRING', 'SESSION_KEYS', ...FEATURES.flatMap(({ secretos = [] }) => secretos)],
  });
  const deps = await createDeps(config, parts);
  const api = parts.closeLater('notes', createApp(operations, deps));
  const server = createServerFor(api, config, deps.newId);
  const port = await listen(server, config.API_PORT, config.API_HOST, shutdown.announced);
  shutdown.phase('server', () => closeServer(server), { timeoutMs: config.SHUTDOWN_SECONDS * 1_000 });
  shutdown.announced.addEventListener('abort', () => deps.health.drain(), { once: true });
  return { url: urlOf(config.API_HOST, port), server, metricsUrl: parts.metricsUrl };
}

const WAKE_EVERY_MS = 20;

type Parts = ProcessParts<'api'>;

/** Builds every adapter of the process, which closes at shutdown. */
async function createDeps(config: ApiConfig, parts: Parts): Promise<ApiDeps> {
  const { log, shutdown, metrics, tracing, database, health, closeLater } = parts;
  const paquetes = closeLater('storage', openPaquetesS3(config, { createBucket: config.S3_CREATE_BUCKET }));
  const settings = settingsOf(config);
  const claves = await openClaves(config);
  return {
    ...openPorts(database),
    ...Object.assign({}, ...FEATURES.map((feature) => feature.open?.(config))),
    eventos: EVENTOS,
    ...openAuthority(config, claves, { ...parts, timeoutMs: settings.databaseTimeoutMs }),
    apagado: shutdown.signal,
    paquetes,
    ...claves,
    manifestKeys: config.MANIFEST_PUBLIC_KEYS === '' ? [] : publishedKeys(config.MANIFEST_PUBLIC_KEYS),
    wake: createWake({ send: () => notifyOutbox(database), everyMs: WAKE_EVERY_MS, log }),
    health,
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
  config: ApiConfig,
  claves: { readonly trust: TrustBundle; readonly trustPruebas: TrustBundle },
  { database, metrics, tracing, closeLater, timeoutMs }: Parts & { readonly timeoutMs: number },
): Autoridad & Pick<ApiDeps, 'pruebas'> {
  const sums = closeLater('medidor-sat', createSatMetrics(database));
  const compartido = {
    estado: createBreakerState(database),
    captchas: guardPort(createCaptchas(database), timeoutMs),
    sellado: createSellado(openKeyring('SESSION_KEYS', config.SESSION_KEYS)),
  };
  const around = (sesiones: SesionesPortal, trust: TrustBundle, opinionesUrl: string | undefined) => ({
    sesiones: guardPort(sesiones, timeoutMs),
    trust,
    opinionesPublicas:
      opinionesUrl === undefined
        ? null
        : closeLater('opiniones-publicas', createOpinionesPublicas({ url: opinionesUrl })),
    turnos: createSemaphore({ perKey: config.SAT_POR_RFC, total: config.SAT_EN_TOTAL }),
    caminos: createCaminos(),
  });

  const own = around(createSesionesPortal(database), claves.trust, config.OPINION_PUBLICA_URL);
  const metered = observeSat(metrics, sums, tracing.sat);
  const { sat } = closeLater('sat', openSat(config, { ...compartido, sesiones: own.sesiones, metrics: metered }));

  const url = config.SAT_PRUEBAS_URL;
  if (url === undefined) return { ...own, sat, pruebas: null };
  const opiniones = `${url.replace(/\/+$/, '')}/opinion-publica`;
  const pruebas = around(createSesionesPortal(database, { isPruebas: true }), claves.trustPruebas, opiniones);
  const shared = { ...compartido, sesiones: pruebas.sesiones, requests: tracing.sat };
  const simulador = closeLater('sat-pruebas', openSatDePruebas(config, url, shared));
  return { ...own, sat, pruebas: { ...pruebas, sat: simulador.sat } };
}
