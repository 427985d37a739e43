import { readFile } from 'node:fs/promises';
import {
  createBoveda,
  createConsultasEnCurso,
  createDocumentos,
  createIdempotencia,
  createListas,
  createPuerta,
  createSaldos,
  createSolicitudes,
  type Database,
  notifyOutbox,
  openDatabase,
} from '@acuse/db';
import { createHealth, firstKey, type Logger, parseKeys, type Shutdown, uuidV7 } from '@acuse/runtime';
import { createPaquetesS3, DEFAULT_S3_SETTINGS, type PaquetesS3 } from '@acuse/storage';
import {
  createApiKeyHasher,
  createKeyring,
  createSealer,
  createTrustBundle,
  decodeClave32,
  importWorkerPublicKey,
} from '@acuse/vault';
import type { ApiDeps } from './api-deps.ts';
import { type ApiSettings, DEFAULT_SETTINGS } from './api-settings.ts';
import type { ApiConfig } from './config.ts';
import { createTurnos } from './consultas/turnos.ts';
import { createWake } from './http/state/wake.ts';
import { openAuthority } from './sat.ts';

const WAKE_EVERY_MS = 20;
/** The database gives a statement up by itself first: what we no longer wait for is then not carried out either. */
const GRACE_MS = 400;

/** Builds every adapter of the process and registers how each is closed. Connects to nothing. */
export async function createDeps(config: ApiConfig, log: Logger, shutdown: Shutdown): Promise<ApiDeps> {
  const database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL,
    timeoutMs: config.API_DATABASE_TIMEOUT_MS,
    applicationName: 'acuse-api',
  });
  shutdown.phase('database', () => database.close());
  const paquetes = openStorage(config);
  shutdown.phase('storage', () => paquetes.close());
  return {
    puerta: createPuerta(database),
    saldos: createSaldos(database),
    solicitudes: createSolicitudes(database),
    boveda: createBoveda(database),
    idempotencia: createIdempotencia(database),
    listas: createListas(database),
    consultasEnCurso: createConsultasEnCurso(database),
    documentos: createDocumentos(database),
    ...openAuthority(database, config, shutdown),
    turnos: createTurnos({ porRfc: config.SAT_POR_RFC, enTotal: config.SAT_EN_TOTAL }),
    apagado: shutdown.signal,
    paquetes,
    ...(await secretsOf(config)),
    wake: createWake({ send: () => notifyOutbox(database), everyMs: WAKE_EVERY_MS, log }),
    health: createHealth({ checks: { database: () => ping(database) } }),
    now: () => new Date(),
    newId: uuidV7,
    log,
    settings: settingsOf(config),
  };
}

const ping = ({ pool }: Database) => pool.query('SELECT 1');

async function secretsOf(
  config: ApiConfig,
): Promise<Pick<ApiDeps, 'hasher' | 'keyring' | 'sealer' | 'trust'>> {
  const peppers = parseKeys('API_KEY_PEPPERS', config.API_KEY_PEPPERS, decodeClave32);
  const keys = parseKeys('KEYRING', config.KEYRING, decodeClave32);
  const worker = firstKey(parseKeys('WORKER_PUBLIC_KEY', config.WORKER_PUBLIC_KEY, importWorkerPublicKey));
  const psk = firstKey(parseKeys('WORKER_PSK', config.WORKER_PSK, decodeClave32));
  const pems = await Promise.all(config.EFIRMA_AUTORIDADES.map((file) => readFile(file, 'latin1')));
  return {
    hasher: createApiKeyHasher({
      peppers: new Map([...peppers].map(([version, pepper]) => [Number(version), pepper])),
      current: Number(firstKey(peppers).id),
    }),
    keyring: createKeyring({ keys, current: firstKey(keys).id }),
    sealer: createSealer({ publicKey: worker.key, kid: worker.id, psk: psk.key, pskId: psk.id }),
    trust: createTrustBundle(pems),
  };
}

function openStorage(config: ApiConfig): PaquetesS3 {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return createPaquetesS3({
    ...DEFAULT_S3_SETTINGS,
    endpoint: config.S3_ENDPOINT,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    createBucket: config.S3_CREATE_BUCKET,
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  });
}

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
    ciecLength: config.CIEC_LENGTH,
    efirmaShred: config.EFIRMA_SHRED,
    deadlineHours: config.DEADLINE_HOURS,
    urlTtlSeconds: config.URL_TTL_SECONDS,
    paseCacheSeconds: config.PASE_CACHE_SECONDS,
    presupuestoMs: config.SAT_PRESUPUESTO_MS,
    graciaSegundos: config.SAT_GRACIA_SECONDS,
    satEnTotal: config.SAT_EN_TOTAL,
    satPorRfc: config.SAT_POR_RFC,
    satEsperaMs: config.SAT_ESPERA_MS,
    maxFacturas: config.MAX_FACTURAS,
  };
}
