import { hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  createIntentos,
  createSegundosFactores,
  createSesiones,
  createSolicitudesPanel,
  createUsuarios,
  type Database,
  openDatabase,
} from '@acuse/db';
import { createTablero } from '@acuse/queue';
import { createHealth, firstKey, type Logger, parseKeys, type Shutdown, uuidV7 } from '@acuse/runtime';
import { createPaquetesS3, DEFAULT_S3_SETTINGS, type PaquetesS3 } from '@acuse/storage';
import {
  createApiKeyHasher,
  createKeyring,
  createSealer,
  createSellado,
  createTrustBundle,
  decodeClave32,
  importWorkerPublicKey,
} from '@acuse/vault';
import { createPasswords } from './acceso/passwords.ts';
import type { PanelConfig } from './config.ts';
import { createSeguimiento } from './pages/solicitudes/avance/seguimiento.ts';
import { abrirCaja } from './pagos/abrir-caja.ts';
import type { PanelDeps } from './panel-deps.ts';
import type { PanelSettings } from './panel-settings.ts';

/** Builds every adapter of the process and registers how each is closed. Connects to nothing. `publicUrl` is where the panel is reached. */
export async function createDeps(
  config: PanelConfig,
  publicUrl: string,
  log: Logger,
  shutdown: Shutdown,
): Promise<PanelDeps> {
  const database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL,
    timeoutMs: config.DATABASE_TIMEOUT_MS,
    applicationName: 'acuse-panel',
  });
  shutdown.phase('database', () => database.close());
  const paquetes = openStorage(config);
  shutdown.phase('storage', () => paquetes.close());
  const tablero = createTablero(
    { url: config.QUEUE_URL ?? config.DATABASE_URL, namespace: config.QUEUE_NAMESPACE },
    (error) => log.debug({ err: error }, 'queue away'),
  );
  shutdown.phase('tablero', () => tablero.close());
  return {
    database,
    paquetes,
    tablero,
    ...(await secretsOf(config)),
    seguimiento: createSeguimiento({ ...createSolicitudesPanel(database), apagado: shutdown.signal, log }),
    usuarios: createUsuarios(database),
    sesiones: createSesiones(database),
    segundosFactores: createSegundosFactores(database),
    intentos: createIntentos(database),
    caja: abrirCaja(config, database, log),
    settings: settingsOf(config, publicUrl, await readVersion()),
    health: createHealth({ checks: { database: () => ping(database) } }),
    now: () => new Date(),
    newId: uuidV7,
    log,
  };
}

const ping = ({ pool }: Database) => pool.query('SELECT 1');

type Secrets = Pick<
  PanelDeps,
  'hasher' | 'keyring' | 'sealer' | 'trust' | 'passwords' | 'sellado' | 'claveCsrf'
>;

async function secretsOf(config: PanelConfig): Promise<Secrets> {
  const panel = parseKeys('PANEL_SECRETS', config.PANEL_SECRETS, decodeClave32);
  const peppers = parseKeys('API_KEY_PEPPERS', config.API_KEY_PEPPERS, decodeClave32);
  const keys = parseKeys('KEYRING', config.KEYRING, decodeClave32);
  const worker = firstKey(parseKeys('WORKER_PUBLIC_KEY', config.WORKER_PUBLIC_KEY, importWorkerPublicKey));
  const psk = firstKey(parseKeys('WORKER_PSK', config.WORKER_PSK, decodeClave32));
  const pems = await Promise.all(config.EFIRMA_AUTORIDADES.map((file) => readFile(file, 'latin1')));
  const current = firstKey(panel);
  return {
    hasher: createApiKeyHasher({
      peppers: new Map([...peppers].map(([version, pepper]) => [Number(version), pepper])),
      current: Number(firstKey(peppers).id),
    }),
    keyring: createKeyring({ keys, current: firstKey(keys).id }),
    sealer: createSealer({ publicKey: worker.key, kid: worker.id, psk: psk.key, pskId: psk.id }),
    trust: createTrustBundle(pems),
    passwords: await createPasswords(panel, current.id),
    sellado: createSellado(createKeyring({ keys: panel, current: current.id })),
    claveCsrf: Buffer.from(hkdfSync('sha256', current.key, '', 'acuse/panel/csrf', 32)),
  };
}

function openStorage(config: PanelConfig): PaquetesS3 {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return createPaquetesS3({
    ...DEFAULT_S3_SETTINGS,
    endpoint: config.S3_ENDPOINT,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  });
}

const withoutSlash = (address: string) => address.replace(/\/+$/, '');

function settingsOf(config: PanelConfig, publicUrl: string, version: string): PanelSettings {
  return {
    version,
    publicUrl: withoutSlash(publicUrl),
    apiPublicUrl: withoutSlash(config.API_PUBLIC_URL),
    apiInternalUrl: withoutSlash(config.API_INTERNAL_URL ?? config.API_PUBLIC_URL),
    queueUrl: config.QUEUE_URL ?? config.DATABASE_URL,
    queueNamespace: config.QUEUE_NAMESPACE,
    registro: config.PANEL_REGISTRO,
    sesionInactiva: config.SESION_INACTIVA_SECONDS,
    sesionMaxima: config.SESION_MAXIMA_SECONDS,
    cookieHost: config.COOKIE_HOST,
    trustedProxies: config.TRUSTED_PROXIES,
    entradasPorCuenta: { rafaga: config.ENTRADAS_CUENTA, segundos: config.ENTRADA_CUENTA_SECONDS },
    entradasPorIp: { rafaga: config.ENTRADAS_IP, segundos: config.ENTRADA_IP_SECONDS },
    registrosPorIp: { rafaga: config.REGISTROS_IP, segundos: config.REGISTRO_IP_SECONDS },
    ciecLength: config.CIEC_LENGTH,
    efirmaShred: config.EFIRMA_SHRED,
    saldoAviso: config.SALDO_AVISO,
    urlTtlSeconds: config.URL_TTL_SECONDS,
  };
}

/** From the manifest of this workspace, beside the sources and the build alike. */
async function readVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest && typeof manifest.version === 'string' ? manifest.version : '';
}
