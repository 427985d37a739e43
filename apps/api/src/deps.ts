import { createSemaphore } from '@acuse/core';
import {
  createAccessSnapshots,
  createBoveda,
  createConsultasEnCurso,
  createDocumentos,
  createIdempotencia,
  createListas,
  createSaldos,
  createSolicitudes,
  type Database,
  notifyOutbox,
  openDatabase,
  requireSecretos,
} from '@acuse/db';
import { ciecLengthOf, createHealth, type Logger, type Shutdown, uuidV7 } from '@acuse/runtime';
import { openPaquetesS3 } from '@acuse/storage';
import { idsOf, openClaves } from '@acuse/vault';
import type { ApiDeps } from './api-deps.ts';
import { type ApiSettings, DEFAULT_SETTINGS } from './api-settings.ts';
import type { ApiConfig } from './config.ts';
import { createCaminos } from './consultas/caminos.ts';
import { createWake } from './http/state/wake.ts';
import { openAuthority } from './sat.ts';

const WAKE_EVERY_MS = 20;
/** The database gives a statement up by itself first: what we no longer wait for is then not carried out either. */
const GRACE_MS = 400;

/**
 * Builds every adapter of the process and registers how each is closed. Throws `SecretoFaltante` when rows hang on an
 * id that is gone.
 */
export async function createDeps(config: ApiConfig, log: Logger, shutdown: Shutdown): Promise<ApiDeps> {
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

function settingsOf(config: ApiConfig): ApiSettings {
  return {
    ...DEFAULT_SETTINGS,
    databaseTimeoutMs: config.API_DATABASE_TIMEOUT_MS + GRACE_MS,
    rateLimitRps: config.RATE_LIMIT_RPS,
    rateLimitBurst: config.RATE_LIMIT_BURST,
    wrongKeysPerMinute: config.WRONG_KEYS_PER_MINUTE,
    trustedProxies: config.TRUSTED_PROXIES,
    userAgentAllow: config.USER_AGENT_ALLOW,
    userAgentDeny: config.USER_AGENT_DENY,
    ciecLength: ciecLengthOf(config),
    efirmaShred: config.EFIRMA_SHRED,
    deadlineHours: config.DEADLINE_HOURS,
    urlTtlSeconds: config.URL_TTL_SECONDS,
    accessCacheSeconds: config.PASE_CACHE_SECONDS,
    presupuestoMs: config.SAT_PRESUPUESTO_MS,
    graciaSegundos: config.SAT_GRACIA_SECONDS,
    satEsperaMs: config.SAT_ESPERA_MS,
    maxFacturas: config.MAX_FACTURAS,
  };
}
