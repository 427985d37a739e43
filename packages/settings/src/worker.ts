import { avisosFields } from '@acuse/roles';
import {
  databaseFields,
  deadlineFields,
  decimal,
  durationMs,
  durationSeconds,
  integer,
  list,
  loadConfig,
  metricsFields,
  port,
  processFields,
  queueFields,
  rotationFields,
  saldoFields,
  secret,
  storageWriterFields,
  text,
  tracingFields,
} from '@acuse/runtime';
import { satFields } from '@acuse/sat/settings';
import { z } from 'zod';
import { FEATURE_ROLES, FEATURE_SECRETS, WORKER_FIELDS, WORKER_RULES } from './features.ts';

export const ROLES = ['descargas', 'ensambles', 'relay', 'reconciler', 'reaper', ...FEATURE_ROLES] as const;
export type Role = (typeof ROLES)[number];

const roles = list(
  `Qué atiende este proceso, separado por comas: ${ROLES.join(', ')}. Descargas y ensambles se escalan por separado.`,
).transform((values, context) => {
  const unknown = values.filter((value) => !ROLES.some((role) => role === value));
  if (unknown.length === 0 && values.length > 0) return values as readonly Role[];
  context.addIssue({ code: 'custom', message: `debe ser una lista de: ${ROLES.join(', ')}` });
  return z.NEVER;
});

const miradas = list(
  'Con CIEC, segundos desde que se acepta una solicitud hasta cada consulta, separados por comas; el último se repite. Cada consulta puede costar un captcha.',
).transform((values, context) => {
  const seconds = values.map(Number);
  if (seconds.length > 0 && seconds.every((second, i) => second > (seconds[i - 1] ?? 0))) return seconds;
  context.addIssue({ code: 'custom', message: 'debe ser una lista de números mayores que cero, en orden' });
  return z.NEVER;
});

const SECRETOS = [
  { name: 'WORKER_KEYS', roles: ['descargas'] },
  { name: 'WORKER_PSKS', roles: ['descargas'] },
  { name: 'SESSION_KEYS', roles: ['descargas', 'reaper'] },
  ...FEATURE_SECRETS,
] as const;

/** The secrets that a worker of these roles has to have, and which of them need each. */
export const secretosDe = (roles: readonly Role[]) =>
  SECRETOS.map((secreto) => ({ ...secreto, roles: secreto.roles.filter((role) => roles.includes(role)) })).filter(
    (secreto) => secreto.roles.length > 0,
  );

/** Everything a worker process can be told. The only place of this app where the environment is read. */
const ajustes = z.object({
  ...processFields,
  ...metricsFields,
  ...tracingFields,
  WORKER_ROLES: roles.default([...ROLES]),
  HEALTH_HOST: text('Dirección en la que escucha /healthz y /readyz.').default('127.0.0.1'),
  HEALTH_PORT: port('Puerto de /healthz y /readyz; 0 deja que el sistema lo elija.').default(0),

  ...databaseFields(20),
  DATABASE_TIMEOUT_MS: durationMs('Milisegundos hasta dar por perdida una consulta.', { min: 100 }).default(10_000),
  DATABASE_AWAY_SECONDS: integer(
    'Segundos sin base de datos tras los que un worker termina con error, para que se inicie otra vez. Mientras tanto no toma timbres.',
    { min: 1 },
  ).default(300),

  ...queueFields,
  ...rotationFields,
  QUEUE_TIMEOUT_MS: durationMs('Milisegundos hasta dar por ausente la cola.', { min: 100 }).default(3_000),
  DESCARGAS_CONCURRENCY: integer(
    'Pasos ante el SAT a la vez, a lo más; el proceso ofrece menos mientras la máquina no alcanza. Una sola cuenta ocupa hasta cuatro quintos.',
    {
      min: 1,
      max: 1_000,
    },
  ).default(250),
  ENSAMBLES_CONCURRENCY: integer('Paquetes que se arman a la vez.', { min: 1, max: 64 }).default(1),
  LEASE_SECONDS: durationSeconds(
    'Segundos que dura la toma de una solicitud sin renovarla: lo que tarda otro worker en seguir con lo de uno que murió, y lo que PostgreSQL puede callar sin que un paso se repita.',
    { min: 3 },
  ).default(15),
  RETRY_SECONDS: durationSeconds('Segundos hasta repetir un paso que falló de nuestro lado.', { min: 1 }).default(15),
  RELAY_INTERVAL_MS: durationMs('Milisegundos entre dos vistas a la bandeja de salida.', { min: 10 }).default(250),
  RECONCILER_INTERVAL_MS: durationMs('Milisegundos entre dos rondas de reconciliación.', { min: 50 }).default(2_000),
  RECONCILER_GRACE_SECONDS: durationSeconds(
    'Segundos que un timbre puede estar en la cola sin que nadie lo tome antes de repetirlo.',
    { min: 1 },
  ).default(30),
  REAPER_INTERVAL_MS: durationMs('Milisegundos entre dos borrados de credenciales vencidas.', {
    min: 100,
    max: 15_000,
  }).default(15_000),
  RETENTION_DAYS: integer('Días que se conserva un paquete.', { min: 1, max: 3_650 }).default(30),
  TRACE_RETENTION_DAYS: integer(
    'Días que se conserva el detalle de una solicitud terminada (periodos, paquetes del SAT, lo que pasó) después de su fin, lo que se avisó a los webhooks, y la nota de un documento borrado. La solicitud y sus movimientos se conservan.',
    { min: 30, max: 3_650 },
  ).default(90),
  AUDIT_RETENTION_DAYS: integer(
    'Días que se conserva la bitácora de auditoría. Los cinco años del artículo 30 del Código Fiscal de la Federación, salvo que algo obligue a más.',
    { min: 365, max: 36_500 },
  ).default(1_830),
  PURGE_GRACE_SECONDS: durationSeconds('Segundos entre el fin de un paquete y el borrado de su objeto.', {
    min: 0,
  }).default(7_200),

  WORKER_KEYS: secret(
    'Llaves privadas X25519 de los workers, kid:base64 separadas por comas. Solo la necesita descargas.',
  ).default(''),
  WORKER_PSKS: secret(
    'Secretos compartidos con la API, id:base64 separados por comas. Solo los necesita descargas.',
  ).default(''),
  MANIFEST_KEYS: secret(
    'Semillas Ed25519 de 32 bytes con las que se firman los paquetes con XML, kid:base64 separadas por comas; firma la primera. Solo la necesita ensambles; sin ella, los paquetes van sin firma.',
  ).default(''),

  ...satFields,
  SESSION_KEYS: secret(`${satFields.SESSION_KEYS.description} Solo la necesitan descargas y reaper.`).default(''),
  SAT_POLL_FIRST_SECONDS: decimal('Segundos hasta la primera consulta de una solicitud aceptada por el SAT.', {
    min: 0.05,
  }).default(60),
  SAT_POLL_FACTOR: decimal('Cuánto crece la espera con cada consulta.', { min: 1, max: 10 }).default(1.5),
  SAT_POLL_MAX_SECONDS: decimal('Espera máxima entre dos consultas.', { min: 0.05 }).default(1_800),
  SAT_POLL_PORTAL_SECONDS: miradas.default([3_600, 10_800, 21_600, 43_200]),
  SAT_EMPTY_AGAIN_SECONDS: decimal(
    'Segundos tras los que se pregunta otra vez al SAT cuando dijo que no hay CFDI y no hay otra credencial con qué confirmarlo.',
    { min: 0 },
  ).default(3_600),
  SAT_POLL_LATE_SECONDS: decimal('Espera mínima entre dos consultas de una solicitud que lleva más de 72 horas.', {
    min: 0.05,
  }).default(43_200),

  ...avisosFields,
  ...saldoFields,

  ...deadlineFields,

  ...WORKER_FIELDS,

  ...storageWriterFields,
  ZIP_LEVEL: integer('Nivel de compresión de los paquetes.', { min: 0, max: 9 }).default(6),

  FAILPOINT: text('Solo para pruebas: punto:acción (kill, freeze o throw) en el que falla el proceso.').optional(),
  NODE_ENV: text('production impide los puntos de falla.').optional(),
});

/** All settings, the secrets that the roles need, and the rules of the features. */
export const workerConfig = ajustes.superRefine((config, context) => {
  const miss = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
  for (const { name, roles } of secretosDe(config.WORKER_ROLES)) {
    if (config[name] === '') miss(name, `falta; la necesita ${roles.join(' y ')}`);
  }
  for (const rule of WORKER_RULES) rule.check(config, miss);
});

export type WorkerConfig = Readonly<z.output<typeof workerConfig>>;

/** Reads the environment; throws one `ConfigError` with all faults. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): WorkerConfig {
  return loadConfig(workerConfig, env);
}
