import {
  bool,
  choice,
  durationMs,
  durationSeconds,
  integer,
  LOG_LEVELS,
  list,
  loadConfig,
  port,
  secret,
  text,
  url,
} from '@acuse/runtime';
import { satFields } from '@acuse/sat';
import { z } from 'zod';
import { parseRange } from './http/net/ip.ts';
import { DEFAULT_LIMITS } from './server.ts';

const lengths = z
  .string()
  .transform((value, context) => {
    const [, min = '', max = min] = /^\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?\s*$/.exec(value) ?? [];
    const range = { min: Number(min), max: Number(max) };
    if (min !== '' && range.min >= 1 && range.min <= range.max) return range;
    context.addIssue({ code: 'custom', message: 'debe ser un número (16) o un intervalo (8-16)' });
    return z.NEVER;
  })
  .meta({ description: 'Caracteres de una CIEC: un número, o un intervalo como 8-16.' });

const cidrs = list(
  'Proxies propios, en CIDR y separados por comas: solo a ellos se les cree X-Forwarded-For.',
).transform((values, context) => {
  if (values.every((value) => parseRange(value) !== null)) return values;
  context.addIssue({ code: 'custom', message: 'debe ser una lista de bloques CIDR' });
  return z.NEVER;
});

const lower = (values: readonly string[]) => values.map((value) => value.toLowerCase());

/** Everything the API can be told. The only place of this app where the environment is read. */
export const apiConfig = z.object({
  LOG_LEVEL: choice(LOG_LEVELS, 'Nivel de la bitácora.').default('info'),
  API_HOST: text('Dirección en la que escucha la API.').default('127.0.0.1'),
  API_PORT: port('Puerto de la API; 0 deja que el sistema lo elija.').default(8080),
  SHUTDOWN_SECONDS: durationSeconds('Segundos que pueden tardar las peticiones en curso al cerrar.', {
    min: 1,
  }).default(25),

  DATABASE_URL: url('Base de datos PostgreSQL.', { protocols: ['postgres', 'postgresql'], secret: true }),
  DATABASE_POOL: integer('Conexiones de este proceso a la base de datos.', { min: 2, max: 500 }).default(20),
  API_DATABASE_TIMEOUT_MS: durationMs(
    'Milisegundos hasta dar por ausente a la base de datos y contestar 503/5041.',
    { min: 100 },
  ).default(1_500),

  API_KEY_PEPPERS: secret(
    'Claves de 32 bytes con las que se guardan las API keys, versión:base64 separadas por comas; la primera es la vigente.',
  ),
  KEYRING: secret(
    'Claves de 32 bytes que cifran la bóveda, kid:base64 separadas por comas; la primera es la vigente.',
  ),
  WORKER_PUBLIC_KEY: text('Llave pública X25519 de los workers, kid:base64.'),
  WORKER_PSK: secret('Secreto de 32 bytes compartido con los workers, id:base64.'),
  EFIRMA_AUTORIDADES: list('Archivos PEM con las autoridades que emiten e.firmas, separados por comas.'),
  EFIRMA_SHRED: bool(
    'Cifra la llave de la e.firma también con una clave que no está en ningún respaldo.',
  ).default(true),
  CIEC_LENGTH: lengths.default({ min: 16, max: 16 }),

  RATE_LIMIT_RPS: integer('Peticiones por segundo y API key; 0 quita el límite.', { max: 100_000 }).default(
    50,
  ),
  RATE_LIMIT_BURST: integer('Peticiones que una API key puede hacer de una vez.', {
    min: 1,
    max: 1_000_000,
  }).default(100),
  WRONG_KEYS_PER_MINUTE: integer('Llaves equivocadas por minuto y dirección antes de contestar 429.', {
    min: 1,
  }).default(30),
  TRUSTED_PROXIES: cidrs.default([]),
  USER_AGENT_ALLOW: list('Prefijos de User-Agent admitidos; vacía, todos.').transform(lower).default([]),
  USER_AGENT_DENY: list('Prefijos de User-Agent rechazados.').transform(lower).default([]),
  PASE_CACHE_SECONDS: durationSeconds(
    'Segundos que este proceso recuerda quién es una API key al aceptar descargas; lo recordado se comprueba al aceptar.',
    { max: 60 },
  ).default(60),

  DEADLINE_HOURS: integer('Horas tras las que una solicitud vence con devolución.', {
    min: 1,
    max: 720,
  }).default(72),
  URL_TTL_SECONDS: durationSeconds('Segundos que vale la URL de un paquete.', {
    min: 1,
    max: 604_800,
  }).default(3_600),

  ...satFields,
  OPINION_PUBLICA_URL: url(
    'Fuente de opiniones de cumplimiento públicas; sin ella, la operación contesta 503/5041.',
  ).optional(),
  SAT_PRESUPUESTO_MS: durationMs(
    'Milisegundos que puede durar una consulta al SAT antes de contestar 503/5041.',
    {
      min: 1_000,
      max: 90_000,
    },
  ).default(60_000),
  SAT_GRACIA_SECONDS: durationSeconds(
    'Segundos, además de SAT_PRESUPUESTO_MS, tras los que se devuelve el cargo de una llamada que su proceso no terminó.',
    { min: 1 },
  ).default(60),
  SAT_EN_TOTAL: integer('Consultas al SAT a la vez en este proceso.', { min: 1, max: 10_000 }).default(64),
  SAT_POR_RFC: integer('Consultas al SAT a la vez de un mismo RFC en este proceso.', {
    min: 1,
    max: 100,
  }).default(2),
  SAT_ESPERA_MS: durationMs(
    'Milisegundos hasta volver a mirar una solicitud que el SAT está preparando; crece a la mitad más cada vez.',
    { min: 1 },
  ).default(10_000),
  MAX_FACTURAS: integer('CFDI que caben en una lista de facturas.', { min: 1, max: 200_000 }).default(20_000),

  HEADERS_TIMEOUT_MS: durationMs('Milisegundos para recibir los encabezados.', { min: 100 }).default(
    DEFAULT_LIMITS.headersTimeoutMs,
  ),
  REQUEST_TIMEOUT_MS: durationMs('Milisegundos para recibir una petición completa.', { min: 100 }).default(
    DEFAULT_LIMITS.requestTimeoutMs,
  ),
  KEEP_ALIVE_TIMEOUT_MS: durationMs('Milisegundos que se conserva una conexión sin uso.').default(
    DEFAULT_LIMITS.keepAliveTimeoutMs,
  ),
  MAX_HEADER_BYTES: integer('Bytes de encabezados como máximo.', { min: 1_024 }).default(
    DEFAULT_LIMITS.maxHeaderBytes,
  ),
  MAX_CONNECTIONS: integer('Conexiones abiertas como máximo.', { min: 1 }).default(
    DEFAULT_LIMITS.maxConnections,
  ),

  S3_ENDPOINT: url('Almacén compatible con S3. Sin ella, el de Amazon.').optional(),
  S3_PUBLIC_ENDPOINT: url('Dirección del almacén para quien descarga.').optional(),
  S3_REGION: text('Región del almacén.').default('us-east-1'),
  S3_BUCKET: text('Nombre del bucket.').default('acuse'),
  S3_ACCESS_KEY_ID: text('Identificador de la credencial del almacén.').optional(),
  S3_SECRET_ACCESS_KEY: secret('Secreto de la credencial del almacén.').optional(),
  S3_FORCE_PATH_STYLE: bool('Bucket en la ruta y no en el nombre del servidor.').default(true),
  S3_CREATE_BUCKET: bool('Crea el bucket si no existe.').default(false),
});

export type ApiConfig = Readonly<z.output<typeof apiConfig>>;

/** Reads the environment; throws one `ConfigError` with all faults. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ApiConfig {
  return loadConfig(apiConfig, env);
}
