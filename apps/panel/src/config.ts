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
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { AJUSTES_PAGOS } from './pagos/ajustes.ts';

const cidrs = list(
  'Proxies propios, en CIDR y separados por comas: solo a ellos se les cree X-Forwarded-For.',
).transform((values, context) => {
  if (values.every((value) => ipaddr.isValid(value) || ipaddr.isValidCIDR(value))) return values;
  context.addIssue({ code: 'custom', message: 'debe ser una lista de bloques CIDR' });
  return z.NEVER;
});

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

const LOOPBACK = /^http:\/\/(localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/;

const intentos = (que: string) => integer(`${que} de una vez, tras una pausa.`, { min: 1, max: 100_000 });
const espera = (que: string) => durationSeconds(`Segundos hasta ganar ${que} más.`, { min: 1, max: 86_400 });

/** Everything the panel can be told. The only place of this app where the environment is read. */
export const panelConfig = z
  .object({
    LOG_LEVEL: choice(LOG_LEVELS, 'Nivel de la bitácora.').default('info'),
    PANEL_HOST: text('Dirección en la que escucha el panel.').default('127.0.0.1'),
    PANEL_PORT: port('Puerto del panel; 0 deja que el sistema lo elija.').default(8081),
    PANEL_PUBLIC_URL: url(
      'Dirección del panel para quien lo usa. Sin ella, la dirección en la que escucha.',
    ).optional(),
    API_PUBLIC_URL: url('Dirección de la API para quien la llama.').default('http://127.0.0.1:8080'),
    API_INTERNAL_URL: url('Dirección de la API para el panel. Sin ella, API_PUBLIC_URL.').optional(),
    SHUTDOWN_SECONDS: durationSeconds('Segundos que pueden tardar las peticiones en curso al cerrar.', {
      min: 1,
    }).default(25),

    DATABASE_URL: url('Base de datos PostgreSQL.', { protocols: ['postgres', 'postgresql'], secret: true }),
    DATABASE_POOL: integer('Conexiones de este proceso a la base de datos.', { min: 2, max: 500 }).default(
      10,
    ),
    DATABASE_TIMEOUT_MS: durationMs('Milisegundos hasta dar por perdida una consulta.', { min: 100 }).default(
      5_000,
    ),
    QUEUE_URL: url('Cola de trabajos: postgres://… o redis://…. Sin ella, la base de datos.', {
      protocols: ['postgres', 'postgresql', 'redis', 'rediss'],
      secret: true,
    }).optional(),
    QUEUE_NAMESPACE: text('Prefijo de los nombres de las colas.').default('acuse'),

    PANEL_SECRETS: secret(
      'Claves de 32 bytes con las que se sellan los segundos factores y se protegen contraseñas y formularios, id:base64 separadas por comas; la primera es la vigente.',
    ),
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

    PANEL_REGISTRO: choice(
      ['abierto', 'cerrado'],
      'Quién puede crear una cuenta: cualquiera, o solo el operador.',
    ).default('abierto'),
    SESION_INACTIVA_SECONDS: durationSeconds('Segundos sin uso tras los que termina una sesión.', {
      min: 60,
    }).default(1_800),
    SESION_MAXIMA_SECONDS: durationSeconds('Segundos tras los que termina una sesión en cualquier caso.', {
      min: 60,
    }).default(43_200),
    COOKIE_HOST: bool(
      'Cookie con prefijo __Host- y Secure. Solo se puede quitar en http sobre localhost, para navegadores que ahí no la aceptan.',
    ).default(true),
    TRUSTED_PROXIES: cidrs.default([]),
    ENTRADAS_CUENTA: intentos('Contraseñas o códigos que se pueden probar en una cuenta').default(5),
    ENTRADA_CUENTA_SECONDS: espera('una prueba por cuenta').default(60),
    ENTRADAS_IP: intentos('Contraseñas o códigos que se pueden probar desde una dirección').default(20),
    ENTRADA_IP_SECONDS: espera('una prueba por dirección').default(10),
    REGISTROS_IP: intentos('Cuentas que se pueden crear desde una dirección').default(5),
    REGISTRO_IP_SECONDS: espera('una cuenta por dirección').default(600),

    ...AJUSTES_PAGOS,

    S3_ENDPOINT: url('Almacén compatible con S3. Sin ella, el de Amazon.').optional(),
    S3_PUBLIC_ENDPOINT: url('Dirección del almacén para quien descarga.').optional(),
    S3_REGION: text('Región del almacén.').default('us-east-1'),
    S3_BUCKET: text('Nombre del bucket.').default('acuse'),
    S3_ACCESS_KEY_ID: text('Identificador de la credencial del almacén.').optional(),
    S3_SECRET_ACCESS_KEY: secret('Secreto de la credencial del almacén.').optional(),
    S3_FORCE_PATH_STYLE: bool('Bucket en la ruta y no en el nombre del servidor.').default(true),
    URL_TTL_SECONDS: durationSeconds('Segundos que vale la URL de un paquete.', {
      min: 1,
      max: 604_800,
    }).default(3_600),
  })
  .refine(({ COOKIE_HOST, PANEL_PUBLIC_URL: publica }) => COOKIE_HOST || !publica || LOOPBACK.test(publica), {
    path: ['COOKIE_HOST'],
    error: 'solo puede ser false cuando PANEL_PUBLIC_URL es http sobre localhost',
  });

export type PanelConfig = Readonly<z.output<typeof panelConfig>>;

/** Reads the environment; throws one `ConfigError` with all faults. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): PanelConfig {
  return loadConfig(panelConfig, env);
}
