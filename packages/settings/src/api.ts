import {
  ciecLengthOf,
  credentialFields,
  databaseFields,
  deadlineFields,
  downloadFields,
  drainFields,
  durationMs,
  durationSeconds,
  integer,
  list,
  loadConfig,
  metricsFields,
  modoOf,
  panelFields,
  port,
  processFields,
  proxyFields,
  queueFields,
  rotationFields,
  storageWriterFields,
  text,
  tracingFields,
  url,
} from '@acuse/runtime';
import { satFields } from '@acuse/sat/settings';
import { z } from 'zod';
import { API_FIELDS } from './features.ts';

const lower = (values: readonly string[]) => values.map((value) => value.toLowerCase());

/** Everything the API can be told. The only place of this app where the environment is read. */
export const apiConfig = z.object({
  ...processFields,
  ...metricsFields,
  ...tracingFields,
  API_HOST: text('Dirección en la que escucha la API.').default('127.0.0.1'),
  API_PORT: port('Puerto de la API; 0 deja que el sistema lo elija.').default(8080),
  ...panelFields,

  ...databaseFields(20),
  API_DATABASE_TIMEOUT_MS: durationMs('Milisegundos hasta dar por ausente a la base de datos y contestar 503/5041.', {
    min: 100,
  }).default(1_500),

  ...credentialFields,
  ...rotationFields,

  QUEUE_URL: queueFields.QUEUE_URL.meta({
    description:
      'La QUEUE_URL de los workers. Si es de Redis, las peticiones de una API key se cuentan en todos los procesos; sin ella o en PostgreSQL, en cada uno.',
    secret: true,
  }),
  RATE_LIMIT_RPS: integer('Peticiones por segundo y API key; 0 quita el límite.', { max: 100_000 }).default(50),
  RATE_LIMIT_BURST: integer('Peticiones que una API key puede hacer de una vez.', { min: 1, max: 1_000_000 }).default(
    100,
  ),
  WRONG_KEYS_PER_MINUTE: integer('Llaves equivocadas por minuto y dirección antes de contestar 429.', {
    min: 1,
  }).default(30),
  ...proxyFields,
  ...drainFields,
  USER_AGENT_ALLOW: list('Prefijos de User-Agent admitidos; vacía, todos.').transform(lower).default([]),
  USER_AGENT_DENY: list('Prefijos de User-Agent rechazados.').transform(lower).default([]),
  PASE_CACHE_SECONDS: durationSeconds(
    'Segundos que este proceso recuerda quién es una API key al aceptar descargas; lo recordado se comprueba al aceptar.',
    { max: 60 },
  ).default(60),

  ...deadlineFields,
  ...downloadFields,

  ...satFields,
  OPINION_PUBLICA_URL: url('Fuente de opiniones de cumplimiento públicas; sin ella, la operación contesta 503/5041.')
    .refine((text) => !/[?@]/.test(text), 'no puede llevar parámetros ni credenciales')
    .optional(),
  SAT_PRESUPUESTO_MS: durationMs('Milisegundos que puede durar una consulta al SAT antes de contestar 503/5041.', {
    min: 1_000,
    max: 90_000,
  }).default(60_000),
  SAT_GRACIA_SECONDS: durationSeconds(
    'Segundos, además de SAT_PRESUPUESTO_MS, tras los que se devuelve el cargo de una llamada que su proceso no terminó.',
    { min: 1 },
  ).default(60),
  SAT_EN_TOTAL: integer('Consultas al SAT a la vez en este proceso.', { min: 1, max: 10_000 }).default(64),
  SAT_POR_RFC: integer('Consultas al SAT a la vez de un mismo RFC en este proceso.', { min: 1, max: 100 }).default(2),
  SAT_ESPERA_MS: durationMs(
    'Milisegundos hasta volver a mirar una solicitud que el SAT está preparando; crece a la mitad más cada vez.',
    { min: 1 },
  ).default(10_000),
  MAX_FACTURAS: integer('CFDI que caben en una lista de facturas.', { min: 1, max: 200_000 }).default(20_000),

  MANIFEST_PUBLIC_KEYS: text(
    'Llaves públicas Ed25519 de MANIFEST_KEYS, kid:base64 de sus 32 bytes separadas por comas, también las retiradas. Se publican en /.well-known/acuse-manifiesto.json.',
  ).default(''),

  SALUD_CUENTAS_MINIMAS: integer(
    'Cuentas distintas por debajo de las cuales no se dice cuánto tardan las descargas: de menos se podría leer lo que pide una.',
    { min: 1, max: 50 },
  ).default(5),

  ...API_FIELDS,

  HEADERS_TIMEOUT_MS: durationMs('Milisegundos para recibir los encabezados.', { min: 100 }).default(10_000),
  REQUEST_TIMEOUT_MS: durationMs('Milisegundos para recibir una petición completa.', { min: 100 }).default(30_000),
  KEEP_ALIVE_TIMEOUT_MS: durationMs('Milisegundos que se conserva una conexión sin uso.').default(65_000),
  MAX_HEADER_BYTES: integer('Bytes de encabezados como máximo.', { min: 1_024 }).default(16_384),
  MAX_CONNECTIONS: integer('Conexiones abiertas como máximo.', { min: 1 }).default(10_000),

  ...storageWriterFields,
});

export type ApiConfig = Readonly<z.output<typeof apiConfig>>;

/** Reads the environment; throws one `ConfigError` with all faults. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ApiConfig {
  return loadConfig(apiConfig, env);
}

/** The database gives a statement up by itself first: what we no longer wait for is then not carried out either. */
const GRACE_MS = 400;

/** What calls go by, of the settings. */
export const settingsOf = (config: ApiConfig) => ({
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
  cuentasMinimas: config.SALUD_CUENTAS_MINIMAS,
  /** Where people reach the panel; null where the installation has none, or does not say. */
  panelUrl: config.PANEL_PUBLIC_URL ?? null,
  /** `test` where a simulator answers in the SAT's place. */
  modo: modoOf(config),
});
export type ApiSettings = Readonly<ReturnType<typeof settingsOf>>;
