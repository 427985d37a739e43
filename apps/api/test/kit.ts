import { createHash } from 'node:crypto';
import { createSemaphore, type Modo, SatError } from '@acuse/core';
import { createSesionesPortal } from '@acuse/db';
import { createMetrics } from '@acuse/metrics';
import { createTokenBucket, type Operation } from '@acuse/operation';
import { createHealth, createUuidV7, silentLogger } from '@acuse/runtime';
import { type ApiSettings, readConfig, settingsOf } from '@acuse/settings/api';
import { createTracing } from '@acuse/tracing';
import {
  createApiKeyHasher,
  createKeyring,
  createOpener,
  createSealer,
  generateApiKey,
  generateWorkerKeyPair,
  importWorkerPrivateKey,
  importWorkerPublicKey,
  publishedKeys,
  registroOf,
} from '@acuse/vault';
import { newRfc } from '../../../test/integration/fixtures/database.ts';
import { type Api, createApp } from '../src/app.ts';
import { type ApiDeps, EVENTOS, openObservers, openPorts } from '../src/deps.ts';
import { FEATURES, loadAll } from '../src/features.ts';
import { createCaminos } from '../src/http/state.ts';
import { type Base, createFilas, insertAlta, NOW, openBase, type Watch, watched } from './base.ts';
import { autoridad } from './efirma.ts';

export { DE_PRUEBA, NOW } from './base.ts';

export const CIEC = 'Cíec-De-Prueba-1';

const key = Buffer.alloc(32, 1).toString('base64');

/** What an API must be told: it has a default for everything else. */
export const REQUIRED = {
  DATABASE_URL: 'postgres://acuse:acuse@127.0.0.1:5432/acuse',
  API_KEY_PEPPERS: `1:${key}`,
  KEYRING: `k1:${key}`,
  WORKER_PUBLIC_KEY: `w1:${key}`,
  WORKER_PSK: `p1:${key}`,
  EFIRMA_AUTORIDADES: '/etc/acuse/autoridades.pem',
  SESSION_KEYS: `s1:${key}`,
  WEBHOOK_KEYS: `h1:${key}`,
};

/** The defaults before a simulator. */
export const CONFIG = readConfig({ ...REQUIRED, SAT_BASE_URL: 'http://127.0.0.1:8090' });

const hasher = createApiKeyHasher({ peppers: new Map([[1, Buffer.alloc(32, 7)]]), current: 1 });
const keyring = createKeyring({ keys: new Map([['k1', Buffer.alloc(32, 8)]]), current: 'k1' });
const workerKeys = generateWorkerKeyPair();
const psk = Buffer.alloc(32, 9);
const sealer = createSealer({ publicKey: importWorkerPublicKey(workerKeys.publicKey), kid: 'w1', psk, pskId: 'p1' });

/** What the workers would open sealed copies with. */
export const opener = createOpener({
  keys: new Map([['w1', importWorkerPrivateKey(workerKeys.privateKey)]]),
  psks: new Map([['p1', psk]]),
});

const loaded = loadAll();
export const operations = () => loaded;

export interface KitOptions {
  /** Another process over the same database: statements of both are watched together. */
  readonly beside?: Kit;
  readonly settings?: Partial<ApiSettings>;
  readonly operations?: readonly Operation[];
  /** In the place of the kit's, ports of features among them: of a port, the functions that the test calls. */
  readonly deps?: { readonly [Name in keyof ApiDeps]?: ApiDeps[Name] | Partial<ApiDeps[Name]> } & {
    readonly [port: string]: unknown;
  };
}

export interface Kit extends Omit<Base, 'api'>, ReturnType<typeof createFilas> {
  readonly api: Api;
  readonly deps: ApiDeps;
  readonly watch: Watch;
  /** Documents in storage, by key. */
  readonly saved: ReadonlyMap<string, Buffer>;
  /** How often the relay was woken. */
  readonly woken: () => number;
  alta(options?: AltaOptions): Promise<Alta>;
  call(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly method?: string;
  /** Address of the socket. */
  readonly from?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: { cfdi_codigo: number; cfdi_texto: string; data?: Record<string, unknown>; [more: string]: unknown };
}

const newId = createUuidV7();

export async function createKit(options: KitOptions = {}): Promise<Kit> {
  const { beside } = options;
  const { api: database, ...base } = await openBase();
  const { now } = base;
  if (beside === undefined) await base.setNow(NOW);
  const watch = beside?.watch ?? { sent: [], fault: null, before: null };
  const own = { ...database, pool: watched(database.pool, watch) };
  const saved = new Map<string, Buffer>();
  const wakes: string[] = [];
  const deps: ApiDeps = {
    ...openPorts(own),
    sesiones: createSesionesPortal(own),
    paquetes: {
      presign: async (objectKey, { filename, ttlSeconds }) => ({
        url: `https://descargas.example/${objectKey}?filename=${encodeURIComponent(filename)}`,
        expiraEn: new Date(now().getTime() + ttlSeconds * 1_000),
      }),
      saveDocumento: async (objectKey, bytes) => {
        saved.set(objectKey, Buffer.from(bytes));
        return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
      },
    },
    ...Object.assign({}, ...FEATURES.map((feature) => feature.open?.(CONFIG))),
    hasher,
    keyring,
    sealer,
    manifestKeys: publishedKeys(`m2:${key},m1:${key}`),
    trust: autoridad().trust,
    newId,
    eventos: EVENTOS,
    sat: { send: () => Promise.reject(new SatError('TIEMPO_AGOTADO')) },
    opinionesPublicas: null,
    pruebas: null,
    sharedLimit: null,
    turnos: createSemaphore({ perKey: 2, total: 64 }),
    caminos: createCaminos(() => now().getTime()),
    reenvios: createTokenBucket({ perSecond: 1, burst: 60, nowMs: () => now().getTime() }),
    apagado: new AbortController().signal,
    wake: () => void wakes.push('wake'),
    now,
    health: createHealth({ checks: {} }),
    log: silentLogger,
    metrics: createMetrics('api').metrics,
    observers: openObservers(CONFIG, database, silentLogger),
    tracing: createTracing(null, silentLogger),
    settings: { ...settingsOf(CONFIG), databaseTimeoutMs: 20_000, rateLimitRps: 0, ...options.settings },
    ...(options.deps as Partial<ApiDeps>),
  };
  const api = createApp(options.operations ?? (await operations()), deps);
  return {
    ...base,
    ...createFilas(base),
    api,
    deps,
    watch,
    saved,
    woken: () => wakes.length,
    alta: (own) => newAlta(base, own),
    async call(path, body, { key = null, headers = {}, method = 'POST', from = '198.51.100.7' } = {}) {
      const all: Record<string, string | null> = {
        'user-agent': 'pruebas/1.0',
        'content-type': 'application/json',
        authorization: key === null ? null : `Bearer ${key}`,
        ...headers,
      };
      const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const isBodyless = method === 'GET' || method === 'HEAD';
      const response = await api.app.request(
        `/api/v1/${path}`,
        { method, headers: present, ...(isBodyless ? {} : { body: text }) },
        { incoming: { socket: { remoteAddress: from } } },
      );
      const answered = await response.text();
      return { status: response.status, headers: response.headers, text: answered, json: JSON.parse(answered) };
    },
  };
}

export interface Alta {
  readonly key: string;
  readonly keyId: string;
  readonly rfc: string;
  readonly cuentaId: string;
  readonly contribuyenteId: string;
}

interface AltaOptions {
  readonly saldo?: number;
  readonly isRegistrada?: boolean;
  readonly modo?: Modo;
  readonly rfc?: string;
}

/** A taxpayer with an RFC of its own, an active key and credits. */
async function newAlta(
  base: Pick<Kit, 'sql'>,
  { saldo = 10, isRegistrada = true, modo = 'test', rfc = newRfc() }: AltaOptions = {},
): Promise<Alta> {
  const key = generateApiKey(modo);
  const ids = await insertAlta(base, registroOf(hasher, key), { rfc, saldo, isRegistrada });
  return { key: key.text, keyId: key.keyId, rfc, ...ids };
}

/** A kit, and a taxpayer of it. */
export async function createKitWithAlta(options: KitOptions = {}, own: AltaOptions = {}) {
  const kit = await createKit(options);
  return { kit, a: await kit.alta(own) };
}

/** The cheapest call of a taxpayer with the own key: the state of the stored e.firma. */
export const pideEstado = (kit: Kit, { key, rfc }: Alta, options?: CallOptions) =>
  kit.call('vault/firma-estado', { rfc }, { key, ...options });

/** Stores a CIEC through the API, as a caller would. */
export async function guardaCiec(kit: Kit, { key, rfc }: Alta, ciec = CIEC): Promise<void> {
  const { status, text } = await kit.call('vault/rfc-guardar', { rfc, ciec }, { key });
  if (status !== 200) throw new Error(text);
}

/** Columns of a solicitud that ended in its state, unless a test gives others. */
const endOf = (estado: unknown) =>
  estado === undefined || estado === 'EN_PROCESO' || estado === 'ESPERA_EFIRMA'
    ? {}
    : { terminada_en: NOW, ...(estado === 'TERMINADA' ? { object_key: 'solicitudes/x/paquete.zip' } : {}) };

/** A taxpayer whose one solicitud was accepted, and has the columns of `change`. */
export async function createKitWithSolicitud(change: Record<string, unknown> = {}, options: KitOptions = {}) {
  const { kit, a } = await createKitWithAlta(options);
  await guardaCiec(kit, a);
  const body = { rfc: a.rfc, tipo: 'emitidos', desde: '2026-01-01', hasta: '2026-01-31' };
  const id = String((await kit.call('tax/descarga-metadata', body, { key: a.key })).json.data?.['solicitud_id']);
  const set = (columns: Record<string, unknown>) =>
    kit.update('solicitud', id, { ...endOf(columns['estado']), ...columns });
  await set(change);
  return { kit, a, id, set };
}

/** A well-formed key that does not exist. */
export const unknownKey = () => generateApiKey('test').text;
