import { urlOf } from '@acuse/runtime';
import type { ProcessFiles } from './stack-secrets.ts';

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

export type Env = Readonly<Record<string, string>>;

/** What the operator set for a process, which wins over what the stack says. */
interface Given {
  readonly given?: Env | undefined;
}

const LOOPBACK = '127.0.0.1';

/** What the simulator is told (apps/simulador/src/config.ts). */
export function simuladorEnv(port: number, dataDir: string): Env {
  return { SIMULADOR_PORT: String(port), SIMULADOR_DATA_DIR: dataDir };
}

/** What the API is told (apps/api/src/config.ts): nothing that opens what is sealed for the workers. */
export function apiEnv(
  addresses: StackAddresses,
  files: ProcessFiles,
  { port, autoridades, given }: { readonly port: number; readonly autoridades: string } & Given,
): Env {
  const stack = {
    ...files,
    EFIRMA_AUTORIDADES: autoridades,
    ...satEnv(addresses, given),
    ...s3Env(addresses.s3),
    OPINION_PUBLICA_URL: `${addresses.simuladorUrl}/opinion-publica`,
    MALLOC_ARENA_MAX: '2',
    // The panel calls from this machine, for somebody whose address it tells. Every other caller is on this machine
    // too.
    TRUSTED_PROXIES: `${LOOPBACK}/32`,
    // The simulator is ready in moments.
    SAT_ESPERA_MS: '250',
  };
  return over(stack, given, { API_PORT: String(port) }, ['EFIRMA_AUTORIDADES', 'TRUSTED_PROXIES']);
}

/**
 * What the panel is told (apps/panel/src/config.ts): what the API knows of credentials, and that the authority is
 * simulated.
 */
export function panelEnv(
  addresses: StackAddresses,
  files: ProcessFiles,
  {
    port,
    apiUrl,
    autoridades,
    given,
  }: { readonly port: number; readonly apiUrl: string; readonly autoridades: string } & Given,
): Env {
  const url = panelUrls(port, given);
  const stack = {
    PANEL_PUBLIC_URL: url.own,
    API_PUBLIC_URL: apiUrl,
    API_INTERNAL_URL: apiUrl,
    // Some browsers take no `Secure` cookie over http, not even from this machine.
    ...(/^http:\/\/(localhost|127\.|\[::1\])/.test(url.public) ? { COOKIE_HOST: 'false' } : {}),
    // Credits for nothing, which the page says: this stack is for trying.
    PAGOS_DEMOSTRACION: 'true',
    SAT_BASE_URL: addresses.simuladorUrl,
    ...files,
    EFIRMA_AUTORIDADES: autoridades,
    ...s3Env(addresses.s3),
    MALLOC_ARENA_MAX: '2',
  };
  return over(stack, given, { PANEL_PORT: String(port) }, ['EFIRMA_AUTORIDADES']);
}

/** What a worker is told (apps/worker/src/config.ts): neither the pepper nor the keyring. */
export function workerEnv(
  addresses: StackAddresses,
  files: ProcessFiles,
  { healthPort, given }: { readonly healthPort: number } & Given,
): Env {
  const stack = {
    ...files,
    ...satEnv(addresses, given),
    // One arena for two threads: freed buffers of the compression threads go back to the system instead of piling up in
    // each.
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
  return over(stack, given, { HEALTH_PORT: String(healthPort) });
}

/** Where a process that listens at `host`:`port` answers somebody of this machine. */
export function urlAt(host: string | undefined, port: number): string {
  return urlOf(host === undefined || host === '0.0.0.0' ? LOOPBACK : host === '::' ? '::1' : host, port);
}

/** Where the panel answers, and the address that its users have. */
export function panelUrls(port: number, given: Env = {}): { readonly own: string; readonly public: string } {
  const own = urlAt(given['PANEL_HOST'], port);
  return { own, public: given['PANEL_PUBLIC_URL'] ?? own };
}

/** What every process that speaks to the SAT is told (packages/sat/src/config/sat-fields.ts). */
function satEnv({ simuladorUrl }: StackAddresses, given: Env = {}): Env {
  const captchas = {
    CAPTCHA_RESOLVER: 'simulador',
    CAPTCHA_URL: `${simuladorUrl}/cfdiau/simulador/captcha`,
  };
  const { CAPTCHA_RESOLVER: otro = captchas.CAPTCHA_RESOLVER } = given;
  return { SAT_BASE_URL: simuladorUrl, ...(otro === captchas.CAPTCHA_RESOLVER ? captchas : {}) };
}

function s3Env({ endpoint, bucket, accessKeyId, secretAccessKey }: S3Access): Env {
  return {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    // A store without a credential takes none of ours.
    ...(secretAccessKey === '' ? { S3_SECRET_ACCESS_KEY_FILE: '' } : {}),
  };
}

/**
 * A setting that the operator gave, as its value or as its file, takes the place of the stack's; of those of `joined`
 * both count. `fixed` stands.
 */
function over(stack: Env, given: Env = {}, fixed: Env = {}, joined: readonly string[] = []): Env {
  const env: Record<string, string> = { ...stack };
  for (const [name, value] of Object.entries(given)) {
    const plain = name.replace(/_FILE$/, '');
    const own = env[plain];
    if (plain === name) delete env[`${name}_FILE`];
    else delete env[plain];
    env[name] = joined.includes(name) && own !== undefined ? `${own},${value}` : value;
  }
  return { ...env, ...fixed };
}
