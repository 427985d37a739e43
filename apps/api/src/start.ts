import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createSemaphore, type OpinionesPublicas, type Sat, type SesionesPortal } from '@acuse/core';
import {
  createAccessSnapshots,
  createBoveda,
  createBreakerState,
  createCaptchas,
  createConsultasEnCurso,
  createDocumentos,
  createIdempotencia,
  createListas,
  createSaldos,
  createSatMetrics,
  createSesionesPortal,
  createSolicitudes,
  createUso,
  createWebhooks,
  type Database,
  notifyOutbox,
  openDatabase,
  requireSecretos,
} from '@acuse/db';
import { closeServer, createHealth, type Logger, listen, type Shutdown, urlOf, uuidV7 } from '@acuse/runtime';
import { createOpinionesPublicas, openSat } from '@acuse/sat';
import { openPaquetesS3 } from '@acuse/storage';
import { createSellado, idsOf, openClaves, openKeyring } from '@acuse/vault';
import { createApp } from './app.ts';
import { type ApiConfig, settingsOf } from './config.ts';
import { type ApiDeps, guardPort } from './deps.ts';
import { loadOperations } from './http/operation.ts';
import { createCaminos, createWake } from './http/state.ts';
import { createServerFor } from './server.ts';

/**
 * Builds and starts the API. Registers how to stop it: `/readyz` refuses first, then running requests end, then what is
 * noted in memory is written, then the connections close.
 */
export async function startApi(
  config: ApiConfig,
  log: Logger,
  shutdown: Shutdown,
): Promise<{ readonly url: string; readonly server: Server }> {
  const operations = await loadOperations(fileURLToPath(new URL('./operations', import.meta.url)));
  const deps = await createDeps(config, log, shutdown);
  const api = createApp(operations, deps);
  shutdown.phase('notes', () => api.close());
  const server = createServerFor(api, config, deps.newId);
  const port = await listen(server, config.API_PORT, config.API_HOST);
  shutdown.phase('server', () => closeServer(server), { timeoutMs: config.SHUTDOWN_SECONDS * 1_000 });
  shutdown.signal.addEventListener('abort', () => deps.health.drain(), { once: true });
  return { url: urlOf(config.API_HOST, port), server };
}

const WAKE_EVERY_MS = 20;

/**
 * Builds every adapter of the process and registers how each is closed. Throws `SecretoFaltante` when rows hang on an
 * id that is gone.
 */
async function createDeps(config: ApiConfig, log: Logger, shutdown: Shutdown): Promise<ApiDeps> {
  const database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL,
    timeoutMs: config.API_DATABASE_TIMEOUT_MS,
    applicationName: 'acuse-api',
  });
  shutdown.phase('database', () => database.close());
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
  return {
    accessSnapshots: createAccessSnapshots(database),
    saldos: createSaldos(database),
    solicitudes: createSolicitudes(database),
    boveda: createBoveda(database),
    idempotencia: createIdempotencia(database),
    listas: createListas(database),
    consultasEnCurso: createConsultasEnCurso(database),
    documentos: createDocumentos(database),
    webhooks: createWebhooks(database),
    selladoWebhooks: createSellado(openKeyring('WEBHOOK_KEYS', config.WEBHOOK_KEYS)),
    uso: createUso(database),
    ...openAuthority(database, config, shutdown, settings.databaseTimeoutMs),
    turnos: createSemaphore({ perKey: config.SAT_POR_RFC, total: config.SAT_EN_TOTAL }),
    caminos: createCaminos(),
    apagado: shutdown.signal,
    paquetes,
    ...(await openClaves(config)),
    wake: createWake({ send: () => notifyOutbox(database), everyMs: WAKE_EVERY_MS, log }),
    health: createHealth({ checks: { database: () => ping(database) } }),
    now: () => new Date(),
    newId: uuidV7,
    log,
    settings,
  };
}

const ping = ({ pool }: Database) => pool.query('SELECT 1');

/**
 * The tax authority, with the sessions, breakers and captchas that all processes share over the database; what keeps
 * that from answering within `timeoutMs` is told as anywhere else in a call.
 */
function openAuthority(
  database: Database,
  config: ApiConfig,
  shutdown: Shutdown,
  timeoutMs: number,
): { readonly sat: Sat; readonly sesiones: SesionesPortal; readonly opinionesPublicas: OpinionesPublicas | null } {
  const sesiones = createSesionesPortal(database);
  const metrics = createSatMetrics(database);
  shutdown.phase('medidor-sat', () => metrics.close());
  const { sat, close } = openSat(config, {
    sesiones: guardPort(sesiones, timeoutMs),
    estado: createBreakerState(database),
    captchas: guardPort(createCaptchas(database), timeoutMs),
    metrics,
    sellado: createSellado(openKeyring('SESSION_KEYS', config.SESSION_KEYS)),
  });
  shutdown.phase('sat', close);
  return { sat, sesiones, opinionesPublicas: openOpiniones(config, shutdown) };
}

function openOpiniones({ OPINION_PUBLICA_URL: url }: ApiConfig, shutdown: Shutdown): OpinionesPublicas | null {
  if (url === undefined) return null;
  const fuente = createOpinionesPublicas({ url });
  shutdown.phase('opiniones-publicas', () => fuente.close());
  return fuente;
}
