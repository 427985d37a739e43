import type { Server } from 'node:http';
import { createSemaphore, type OpinionesPublicas, type SesionesPortal } from '@acuse/core';
import {
  createBreakerState,
  createCaptchas,
  createSatMetrics,
  createSesionesPortal,
  notifyOutbox,
  openDatabase,
  releaseTurnsOfDead,
} from '@acuse/db';
import { observeSat } from '@acuse/metrics';
import type { SharedLimit } from '@acuse/queue/limit';
import { openProcess, type ProcessParts } from '@acuse/roles/process';
import { closeServer, isRunning, type Logger, listen, type Shutdown, urlOf, uuidV7 } from '@acuse/runtime';
import type { SatAbierto } from '@acuse/sat';
import { captchaUrlOf } from '@acuse/sat/settings';
import { type ApiConfig, settingsOf } from '@acuse/settings/api';
import { createSellado, openClaves, openKeyring, publishedKeys, type TrustBundle } from '@acuse/vault';
import { createApp } from './app.ts';
import { type ApiDeps, type Autoridad, EVENTOS, guardPort, openObservers, openPorts } from './deps.ts';
import { FEATURES, loadAll } from './features.ts';
import { createCaminos } from './http/state.ts';
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
  const loading: (() => unknown)[] = [];
  const deps = await createDeps(config, { ...parts, loading });
  const api = parts.closeLater('notes', createApp(operations, deps));
  const server = createServerFor(api, config, deps.newId);
  const port = await listen(server, config.API_PORT, config.API_HOST, shutdown.announced);
  shutdown.phase('server', () => closeServer(server), { timeoutMs: config.SHUTDOWN_SECONDS * 1_000 });
  shutdown.announced.addEventListener('abort', () => deps.health.drain(), { once: true });
  // Once the process has said that it is ready, and before the first call, which would wait for it otherwise; a failure
  // ends the process.
  setImmediate(() => void Promise.all(loading.map((load) => load())));
  return { url: urlOf(config.API_HOST, port), server, metricsUrl: parts.metricsUrl };
}

interface Parts extends ProcessParts<'api'> {
  /** Loaders of the parts that are opened later. */
  readonly loading: (() => unknown)[];
}

/**
 * Returns a getter that opens something, once, by code that it loads itself: no start waits for the SDK of the storage
 * and the readers of the SAT's pages, half of the code of this process. Closed at shutdown, if it was opened.
 */
function openLater<T extends { close(): unknown }>(
  name: string,
  { closeLater, loading }: Parts,
  open: () => Promise<T>,
): () => Promise<T> {
  let opened: Promise<T> | undefined;
  const get = () => {
    opened ??= open();
    return opened;
  };
  closeLater(name, { close: async () => (await opened?.catch(() => undefined))?.close() });
  loading.push(get);
  return get;
}

/** Builds every adapter of the process, which closes at shutdown. */
async function createDeps(config: ApiConfig, parts: Parts): Promise<ApiDeps> {
  const { log, shutdown, metrics, tracing, database, health } = parts;
  const storage = openLater('storage', parts, async () => {
    const { openDocumentosS3 } = await import('@acuse/storage/documentos-s3');
    return openDocumentosS3(config, { createBucket: config.S3_CREATE_BUCKET });
  });
  const settings = settingsOf(config);
  const claves = await openClaves(config);
  return {
    ...openPorts(database),
    ...Object.assign({}, ...FEATURES.map((feature) => feature.open?.(config))),
    eventos: EVENTOS,
    ...openAuthority(config, claves, { ...parts, timeoutMs: settings.databaseTimeoutMs }),
    apagado: shutdown.signal,
    paquetes: {
      presign: async (...args) => (await storage()).presign(...args),
      saveDocumento: async (...args) => (await storage()).saveDocumento(...args),
    },
    ...claves,
    manifestKeys: config.MANIFEST_PUBLIC_KEYS === '' ? [] : publishedKeys(config.MANIFEST_PUBLIC_KEYS),
    // Not awaited: the relay also polls.
    wake: () => void notifyOutbox(database).catch((err: unknown) => log.debug({ err }, 'relay_not_woken')),
    sharedLimit: await openLimit(config, parts),
    health,
    now: () => new Date(),
    newId: uuidV7,
    log,
    metrics,
    observers: openObservers(config, database, log),
    tracing,
    settings,
  };
}

/** The count of calls that all processes share, if the queue is on Redis; the code of Redis is loaded for it alone. */
async function openLimit(
  { QUEUE_URL: url, RATE_LIMIT_RPS: perSecond, RATE_LIMIT_BURST: burst }: ApiConfig,
  { log, closeLater }: Parts,
): Promise<SharedLimit | null> {
  if (perSecond === 0 || !url?.startsWith('redis')) return null;
  const { openSharedLimit } = await import('@acuse/queue/limit');
  const onAway = (err: unknown) => log.warn({ err }, 'rate_limit_per_process');
  const limit = openSharedLimit(url, { perSecond, burst }, onAway);
  return limit === null ? null : closeLater('limit', limit);
}

/**
 * The tax authority, with the sessions, breakers and captchas that all processes share over the database, and beside it
 * the simulator of the test keys. Errors, and no answer within `timeoutMs`, are reported as anywhere else in a call.
 */
function openAuthority(
  config: ApiConfig,
  claves: { readonly trust: TrustBundle; readonly trustPruebas: TrustBundle },
  { timeoutMs, ...parts }: Parts & { readonly timeoutMs: number },
): Autoridad & Pick<ApiDeps, 'pruebas'> {
  const { database, metrics, tracing, closeLater } = parts;
  captchaUrlOf(config);
  const sums = closeLater('medidor-sat', createSatMetrics(database));
  const compartido = {
    estado: createBreakerState(database),
    captchas: guardPort(createCaptchas(database), timeoutMs),
    sellado: createSellado(openKeyring('SESSION_KEYS', config.SESSION_KEYS)),
  };
  const opiniones = (url: string): OpinionesPublicas => {
    const opened = openLater('opiniones-publicas', parts, async () =>
      (await import('@acuse/sat')).createOpinionesPublicas({ url }),
    );
    return { consultar: async (...args) => (await opened()).consultar(...args) };
  };
  const around = (
    sesiones: SesionesPortal,
    trust: TrustBundle,
    opinionesUrl: string | undefined,
    open: (sat: typeof import('@acuse/sat'), sesiones: SesionesPortal) => SatAbierto,
  ): Autoridad => {
    const guarded = guardPort(sesiones, timeoutMs);
    const opened = openLater('sat', parts, async () => {
      // The first call to a portal would wait for the second.
      const [sat] = await Promise.all([import('@acuse/sat'), import('@acuse/sat/portal')]);
      return open(sat, guarded);
    });
    return {
      sat: { send: async (...args) => (await opened()).sat.send(...args) },
      sesiones: guarded,
      trust,
      opinionesPublicas: opinionesUrl === undefined ? null : opiniones(opinionesUrl),
      turnos: createSemaphore({ perKey: config.SAT_POR_RFC, total: config.SAT_EN_TOTAL }),
      caminos: createCaminos(),
    };
  };

  // What stays ends with its lease.
  void releaseTurnsOfDead(database, isRunning).catch(() => {});
  const metered = observeSat(metrics, sums, tracing.sat);
  const own = around(
    createSesionesPortal(database),
    claves.trust,
    config.OPINION_PUBLICA_URL,
    ({ openSat }, sesiones) => openSat(config, { ...compartido, sesiones, metrics: metered }),
  );

  const url = config.SAT_PRUEBAS_URL;
  if (url === undefined) return { ...own, pruebas: null };
  const pruebas = around(
    createSesionesPortal(database, { isPruebas: true }),
    claves.trustPruebas,
    `${url.replace(/\/+$/, '')}/opinion-publica`,
    ({ openSatDePruebas }, sesiones) =>
      openSatDePruebas(config, url, { ...compartido, sesiones, requests: tracing.sat }),
  );
  return { ...own, pruebas };
}
