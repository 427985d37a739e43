import * as z from 'zod';
import {
  bool,
  choice,
  decimal,
  durationSeconds,
  integer,
  list,
  port,
  secret,
  text,
  url,
  withOneHost,
} from './config.ts';
import { ExplainedError } from './explain.ts';
import { parseRange } from './ip.ts';
import { LOG_LEVELS } from './log.ts';

/** The settings that every process has. */
export const processFields = {
  LOG_LEVEL: choice(LOG_LEVELS, 'Nivel de la bitácora.').default('info'),
  SHUTDOWN_SECONDS: durationSeconds('Segundos que pueden tardar las peticiones o los pasos en curso al cerrar.', {
    min: 1,
  }).default(25),
};

/** For a process that tells Prometheus of itself. */
export const metricsFields = {
  METRICS_HOST: text('Dirección en la que escucha /metrics. No la publique: dice cuánto se usa el servicio.').default(
    '127.0.0.1',
  ),
  METRICS_PORT: port(
    'Puerto de /metrics, aparte de cualquier otro; 0 deja que el sistema lo elija. Sin él, el proceso no escucha ahí.',
  ).optional(),
};

/** For a process that sends traces, by the names that OpenTelemetry gives these settings; its times are milliseconds. */
export const tracingFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'Dónde recibe trazas OpenTelemetry (OTLP por HTTP, en JSON), sin /v1/traces. Sin ella no se envían ni se carga nada.',
  ).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('Lo mismo con la dirección completa.').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    'Cabeceras para quien las recibe, nombre=valor separadas por comas y con los valores codificados como en una URL.',
  ).default(''),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer('Milisegundos hasta dar por perdido un envío de trazas.', {
    min: 100,
    max: 60_000,
  }).default(10_000),
  OTEL_SERVICE_NAME: text('Nombre del servicio en las trazas. Sin él, acuse-api o acuse-worker.').optional(),
  OTEL_RESOURCE_ATTRIBUTES: text(
    'Otros atributos del servicio, nombre=valor separados por comas: deployment.environment.name=produccion.',
  ).default(''),
  OTEL_TRACES_SAMPLER: choice(
    ['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
    'Qué trazas que empiezan aquí se registran: todas, ninguna o una parte. De las que empiezan en quien llama decide él, con su traceparent.',
  ).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: decimal('Qué parte, de 0 a 1.', { min: 0, max: 1 }).default(1),
  OTEL_BSP_SCHEDULE_DELAY: integer('Milisegundos entre dos envíos de trazas.', { min: 10 }).default(5_000),
  OTEL_SDK_DISABLED: bool('Apaga las trazas, diga lo que diga lo demás.').default(false),
};

/** For a process that is called through proxies. */
export const proxyFields = {
  TRUSTED_PROXIES: list('Proxies propios, en CIDR y separados por comas: solo a ellos se les cree X-Forwarded-For.')
    .transform((values, context) => {
      if (values.every((value) => parseRange(value) !== null)) return values;
      context.addIssue({ code: 'custom', message: 'debe ser una lista de bloques CIDR' });
      return z.NEVER;
    })
    .default([]),
};

/** For a process that a balancer sends requests to. */
export const drainFields = {
  DRAIN_SECONDS: durationSeconds(
    'Segundos que el proceso atiende todavía tras SIGTERM, con /readyz en 503, para que el balanceador que tenga delante deje de enviarle. Más que lo que este tarda en notarlo.',
    { max: 300 },
  ).default(0),
};

/** For a process that accepts solicitudes. */
export const deadlineFields = {
  DEADLINE_HOURS: integer('Horas tras las que una solicitud vence con devolución.', { min: 1, max: 720 }).default(168),
};

export type DeadlineSettings = Readonly<z.output<z.ZodObject<typeof deadlineFields>>>;

/** For a process whose secrets rotate. */
export const rotationFields = {
  SECRETOS_FALTANTES: choice(
    ['rechazar', 'avisar'],
    'Qué hace el proceso si a sus secretos les falta un id del que aún cuelga algo: no iniciar, o avisar en la bitácora y seguir.',
  ).default('rechazar'),
};

const POSTGRES = ['postgres', 'postgresql'];

/** The database, with a default number of connections. */
export const databaseFields = (pool: number) => ({
  DATABASE_URL: url('Base de datos PostgreSQL, o PgBouncer con ?pgbouncer=true&direct=servidor:5432.', {
    protocols: POSTGRES,
    secret: true,
  }),
  DATABASE_POOL: integer('Conexiones de este proceso a la base de datos.', { min: 2, max: 500 }).default(pool),
});

/** The servers of the queue. */
export interface QueueAddress {
  readonly kind: 'postgres' | 'redis' | 'sentinel' | 'cluster';
  /** One address for each server, by `postgres://`, `redis://` or `rediss://`, all with the same credentials. */
  readonly servers: readonly [URL, ...URL[]];
  /** The name that the sentinels have for the master; empty without them. */
  readonly master: string;
}

const SEVERAL = /^(rediss?)\+(sentinel|cluster):\/\/([^/?#]*@)?([^/?#@]*)([^?#@]*)(\?[^#]*)?$/;
const ONE = /^(?:postgres(?:ql)?|rediss?):\/\//;

/**
 * Reads an address of the queue: `postgres://…`, `redis://…`, `redis+sentinel://[user:password@]host[:port],…/master[/db]`
 * or `redis+cluster://[user:password@]host[:port],…`; `rediss` encrypts. @throws an ExplainedError that quotes nothing.
 */
export function parseQueueUrl(address: string): QueueAddress {
  const [, scheme, kind, login = '', hosts = '', path = '', query = ''] = SEVERAL.exec(address) ?? [];
  if (scheme === undefined) {
    if (ONE.test(address) && URL.canParse(address))
      return { kind: address.startsWith('redis') ? 'redis' : 'postgres', servers: [new URL(address)], master: '' };
    throw new ExplainedError(
      'debe empezar con postgres://, redis://, redis+sentinel:// o redis+cluster:// (con TLS, rediss) y nombrar sus servidores; en la contraseña escriba @ / ? # como %40 %2F %3F %23',
    );
  }
  const [, master = '', db = ''] = /^\/([^/]+)(?:\/(\d*))?$/.exec(path) ?? [];
  if (kind === 'sentinel' && master === '')
    throw new ExplainedError(
      'le falta tras los servidores el nombre del maestro: redis+sentinel://servidor:26379,servidor:26379/NOMBRE, o /NOMBRE/BASE',
    );
  if (kind === 'cluster' && !/^\/?$/.test(path + query))
    throw new ExplainedError('no lleva nada tras los servidores: un clúster de Redis solo tiene la base 0');
  const [first, ...rest] = hosts.split(',').map((host) => {
    const text = `${scheme}://${login}${host}/${db}${query}`;
    if (host === '' || !URL.canParse(text))
      throw new ExplainedError('debe nombrar cada servidor como servidor:puerto, separados por comas y sin espacios');
    const url = new URL(text);
    url.port ||= kind === 'sentinel' ? '26379' : '6379';
    return url;
  });
  return { kind: kind as 'sentinel' | 'cluster', servers: [first as URL, ...rest], master: decodeURIComponent(master) };
}

const NO_LISTEN = 'debe ser la dirección de PostgreSQL mismo: la cola usa LISTEN, que no pasa por PgBouncer';

/** The queue of jobs. */
export const queueFields = {
  QUEUE_URL: z
    .string()
    .trim()
    .overwrite(withOneHost)
    .superRefine((value, context) => {
      try {
        const [{ searchParams }] = parseQueueUrl(value).servers;
        if (searchParams.has('pgbouncer')) throw new ExplainedError(NO_LISTEN);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    })
    .meta({
      description:
        'Cola de trabajos: postgres://…, redis://…, redis+sentinel://servidor:26379,servidor:26379/MAESTRO o redis+cluster://servidor:6379,servidor:6379 (con TLS, rediss). Sin ella, la base de datos.',
      secret: true,
    })
    .optional(),
  QUEUE_NAMESPACE: text('Prefijo de los nombres de las colas.').default('acuse'),
};

const lengths = z
  .string()
  .transform((value, context) => {
    const [, min = '', max = min] = /^\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?\s*$/.exec(value) ?? [];
    const range = { min: Number(min), max: Number(max) };
    if (min !== '' && range.min >= 1 && range.min <= range.max) return range;
    context.addIssue({ code: 'custom', message: 'debe ser un número (16) o un intervalo (8-16)' });
    return z.NEVER;
  })
  .meta({
    description:
      'Caracteres de una CIEC: un número, o un intervalo como 8-16. Sin este valor, 8-16; 16 con SAT_BASE_URL.',
  });

/** Where the SAT is. */
export const satAddressFields = {
  SAT_BASE_URL: url('Dirección de un simulador del SAT. Sin ella, los servicios reales.').optional(),
  SAT_PRUEBAS_URL: url(
    'Dirección de un simulador del SAT para las llaves acuse_test_, que así no cuestan nada y nunca preguntan al SAT. Sin ella, donde se consulta al SAT esas llaves contestan 403/1003. Con ella y SAT_BASE_URL, las acuse_live_ preguntan a esta última: un ensayo con dos simuladores.',
  ).optional(),
};

/** The keys and rules of a process that takes credentials in: the same in all of them. */
export const credentialFields = {
  API_KEY_PEPPERS: secret(
    'Claves de 32 bytes con las que se guardan las API keys, versión:base64 separadas por comas; la primera es la vigente.',
  ),
  KEYRING: secret('Claves de 32 bytes que cifran la bóveda, kid:base64 separadas por comas; la primera es la vigente.'),
  WORKER_PUBLIC_KEY: text('Llave pública X25519 de los workers, kid:base64.'),
  WORKER_PSK: secret('Secreto de 32 bytes compartido con los workers, id:base64.'),
  EFIRMA_AUTORIDADES: list('Archivos PEM con las autoridades que emiten e.firmas, separados por comas.'),
  EFIRMA_AUTORIDADES_PRUEBAS: list(
    'Archivos PEM con las autoridades que emiten las e.firmas del simulador de SAT_PRUEBAS_URL, separados por comas. Valen solo para las llaves acuse_test_; las de EFIRMA_AUTORIDADES, solo para las acuse_live_.',
  ).default([]),
  EFIRMA_SHRED: bool('Cifra la llave de la e.firma también con una clave que no está en ningún respaldo.').default(
    true,
  ),
  CIEC_LENGTH: lengths.optional(),
  ...satAddressFields,
};

/**
 * How many characters a CIEC may have: as set, else 16 as the specification says before a simulator, and 8 to 16 before
 * the SAT: public pages name eight and more, and the field of its portal takes at most 16 (phpcfdi/cfdi-sat-scraper).
 */
export function ciecLengthOf(config: {
  readonly CIEC_LENGTH?: { readonly min: number; readonly max: number } | undefined;
  readonly SAT_BASE_URL?: string | undefined;
  readonly SAT_PRUEBAS_URL?: string | undefined;
}): { readonly min: number; readonly max: number } {
  return config.CIEC_LENGTH ?? { min: modoOf(config) === 'live' ? 8 : 16, max: 16 };
}

/**
 * Whom an installation asks. `live`: the SAT, with keys `acuse_live_`; those of `acuse_test_` are for the simulator of
 * SAT_PRUEBAS_URL alone. `test`: a simulator stands in the SAT's place for all keys, and they are `acuse_test_`.
 */
export function modoOf(config: {
  readonly SAT_BASE_URL?: string | undefined;
  readonly SAT_PRUEBAS_URL?: string | undefined;
}): 'live' | 'test' {
  return config.SAT_BASE_URL === undefined || config.SAT_PRUEBAS_URL !== undefined ? 'live' : 'test';
}

/** For a process that knows when a balance is low. */
export const saldoFields = {
  SALDO_AVISO: integer('Créditos por debajo de los que se avisa que queda poco saldo; 0 no avisa.', {
    min: 0,
    max: 100_000_000,
  }).default(10),
};

export type SaldoSettings = Readonly<z.output<z.ZodObject<typeof saldoFields>>>;

/** For a process that writes addresses of the panel into its answers or mails. */
export const panelFields = {
  PANEL_PUBLIC_URL: url(
    'Dirección del panel para quien lo usa, también en los correos y en la documentación. Sin ella, para el panel, la dirección en la que escucha.',
  ).optional(),
};

/** Object storage. */
export const storageFields = {
  S3_ENDPOINT: url('Almacén compatible con S3. Sin ella, el de Amazon.').optional(),
  S3_PUBLIC_ENDPOINT: url('Dirección del almacén para quien descarga.').optional(),
  S3_REGION: text('Región del almacén.').default('us-east-1'),
  S3_BUCKET: text('Nombre del bucket.').default('acuse'),
  S3_ACCESS_KEY_ID: text('Identificador de la credencial del almacén.').optional(),
  S3_SECRET_ACCESS_KEY: secret('Secreto de la credencial del almacén.').optional(),
  S3_FORCE_PATH_STYLE: bool('Bucket en la ruta y no en el nombre del servidor.').default(true),
};

/** For a process that writes there as well. */
export const storageWriterFields = {
  ...storageFields,
  S3_CREATE_BUCKET: bool('Crea el bucket si no existe.').default(false),
};

/** For a process that signs URLs of packages. */
export const downloadFields = {
  URL_TTL_SECONDS: durationSeconds('Segundos que vale la URL de un paquete.', { min: 1, max: 604_800 }).default(3_600),
};
