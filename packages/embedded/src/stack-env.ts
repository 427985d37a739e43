import type { StackSecrets } from './stack-secrets.ts';

/** Where the parts of a stack are; every address is a URL without a slash at its end. */
export interface StackAddresses {
  readonly databaseUrl: string;
  readonly queueUrl: string;
  readonly simuladorUrl: string;
  readonly s3: S3Access;
}

/** How to reach the store. */
export interface S3Access {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

type Env = Readonly<Record<string, string>>;

/** What the simulator is told (apps/simulador/src/config.ts). */
export function simuladorEnv(port: number, dataDir: string): Env {
  return { SIMULADOR_PORT: String(port), SIMULADOR_DATA_DIR: dataDir };
}

/** What the API is told (apps/api/src/config.ts): nothing that opens what is sealed for the workers. */
export function apiEnv(
  addresses: StackAddresses,
  secrets: StackSecrets,
  options: { readonly port: number; readonly autoridades: string },
): Env {
  const { API_KEY_PEPPERS, KEYRING, WORKER_PUBLIC_KEY, WORKER_PSK } = secrets;
  return {
    API_PORT: String(options.port),
    DATABASE_URL: addresses.databaseUrl,
    API_KEY_PEPPERS,
    KEYRING,
    WORKER_PUBLIC_KEY,
    WORKER_PSK,
    EFIRMA_AUTORIDADES: options.autoridades,
    ...satEnv(addresses, secrets),
    ...s3Env(addresses.s3),
    OPINION_PUBLICA_URL: `${addresses.simuladorUrl}/opinion-publica`,
    MALLOC_ARENA_MAX: '2',
    // The panel calls from this machine, for somebody whose address it tells. Every other caller is on this machine too.
    TRUSTED_PROXIES: '127.0.0.1/32',
    // The simulator is ready in moments.
    SAT_ESPERA_MS: '250',
  };
}

/** What the panel is told (apps/panel/src/config.ts): what the API knows of credentials, and that the authority is simulated. */
export function panelEnv(
  addresses: StackAddresses,
  secrets: StackSecrets,
  options: { readonly port: number; readonly apiUrl: string; readonly autoridades: string },
): Env {
  const { API_KEY_PEPPERS, KEYRING, WORKER_PUBLIC_KEY, WORKER_PSK, PANEL_SECRETS } = secrets;
  return {
    PANEL_PORT: String(options.port),
    PANEL_PUBLIC_URL: `http://127.0.0.1:${options.port}`,
    API_PUBLIC_URL: options.apiUrl,
    // Some browsers take no `Secure` cookie over http, not even from this machine.
    COOKIE_HOST: 'false',
    // Credits for nothing, which the page says: this stack is for trying.
    PAGOS_DEMOSTRACION: 'true',
    SAT_BASE_URL: addresses.simuladorUrl,
    DATABASE_URL: addresses.databaseUrl,
    QUEUE_URL: addresses.queueUrl,
    PANEL_SECRETS,
    API_KEY_PEPPERS,
    KEYRING,
    WORKER_PUBLIC_KEY,
    WORKER_PSK,
    EFIRMA_AUTORIDADES: options.autoridades,
    ...s3Env(addresses.s3),
    MALLOC_ARENA_MAX: '2',
  };
}

/** What a worker is told (apps/worker/src/config.ts): neither the pepper nor the keyring. */
export function workerEnv(
  addresses: StackAddresses,
  secrets: StackSecrets,
  options: { readonly healthPort: number; readonly roles?: readonly string[] },
): Env {
  return {
    HEALTH_PORT: String(options.healthPort),
    ...(options.roles ? { WORKER_ROLES: options.roles.join(',') } : {}),
    DATABASE_URL: addresses.databaseUrl,
    QUEUE_URL: addresses.queueUrl,
    WORKER_KEYS: secrets.WORKER_KEYS,
    WORKER_PSKS: secrets.WORKER_PSKS,
    ...satEnv(addresses, secrets),
    // One arena for two threads: freed buffers of the compression threads go back to the system instead of piling up in each.
    MALLOC_ARENA_MAX: '2',
    // The simulator is ready in moments; the real authority is asked far less often.
    SAT_POLL_FIRST_SECONDS: '0.25',
    SAT_POLL_MAX_SECONDS: '5',
    SAT_POLL_PORTAL_SECONDS: '0.25,0.6,1.2,2.5,5',
    SAT_POLL_LATE_SECONDS: '30',
    SAT_EMPTY_AGAIN_SECONDS: '2',
    S3_CREATE_BUCKET: 'true',
    ...s3Env(addresses.s3),
  };
}

/** What every process that speaks to the SAT is told (packages/sat/src/config/sat-fields.ts). */
function satEnv({ simuladorUrl }: StackAddresses, { SESSION_KEYS }: StackSecrets): Env {
  return {
    SESSION_KEYS,
    SAT_BASE_URL: simuladorUrl,
    CAPTCHA_RESOLVER: 'simulador',
    CAPTCHA_URL: `${simuladorUrl}/cfdiau/simulador/captcha`,
  };
}

function s3Env({ endpoint, bucket, accessKeyId, secretAccessKey }: S3Access): Env {
  return {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
}
