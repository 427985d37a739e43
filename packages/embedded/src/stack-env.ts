import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { urlOf } from '@acuse/runtime';
import { changeValues, newSecretos, PROCESOS, readValues, type Valores, writeInstalacion } from '@acuse/vault';

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

/** Receivers of webhooks on this machine. */
const LOCAL_RECEIVERS = { WEBHOOK_PERMITIR_HTTP: 'true', WEBHOOK_REDES_PERMITIDAS: '127.0.0.0/8,::1/128' };

/** Settings of the simulator (apps/simulador/src/config.ts). */
export function simuladorEnv(port: number, dataDir: string): Env {
  return { SIMULADOR_PORT: String(port), SIMULADOR_DATA_DIR: dataDir };
}

/** Settings of the API (packages/settings/src/api.ts), without keys of the workers. */
export function apiEnv(
  addresses: StackAddresses,
  files: ProcessFiles,
  {
    port,
    autoridades,
    panelUrl,
    given,
  }: { readonly port: number; readonly autoridades: string; readonly panelUrl?: string } & Given,
): Env {
  const stack = {
    ...files,
    // Where the documentation leads.
    ...(panelUrl === undefined ? {} : { PANEL_PUBLIC_URL: panelUrl }),
    API_PUBLIC_URL: `http://${LOOPBACK}:${port}`,
    EFIRMA_AUTORIDADES: autoridades,
    ...satEnv(addresses, given),
    ...s3Env(addresses.s3),
    OPINION_PUBLICA_URL: `${addresses.simuladorUrl}/opinion-publica`,
    ...LOCAL_RECEIVERS,
    MALLOC_ARENA_MAX: '2',
    // The panel calls from this machine for a user with another address, which it forwards. Other callers are on this
    // machine too.
    TRUSTED_PROXIES: `${LOOPBACK}/32`,
    // The simulator is ready in moments.
    SAT_ESPERA_MS: '250',
    // A trial installation has one user: sums reveal no requests of others.
    SALUD_CUENTAS_MINIMAS: '1',
  };
  return over(stack, given, { API_PORT: String(port) }, ['EFIRMA_AUTORIDADES', 'TRUSTED_PROXIES']);
}

/** Settings of the panel (packages/settings/src/panel.ts): the API's settings of credentials, and the simulated SAT. */
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
    ...LOCAL_RECEIVERS,
    ...files,
    EFIRMA_AUTORIDADES: autoridades,
    ...s3Env(addresses.s3),
    MALLOC_ARENA_MAX: '2',
  };
  return over(stack, given, { PANEL_PORT: String(port) }, ['EFIRMA_AUTORIDADES']);
}

/** Settings of a worker (packages/settings/src/worker.ts), without pepper and keyring. */
export function workerEnv(
  addresses: StackAddresses,
  files: ProcessFiles,
  { healthPort, panelUrl, given }: { readonly healthPort: number; readonly panelUrl?: string } & Given,
): Env {
  const stack = {
    ...files,
    ...satEnv(addresses, given),
    // One arena for two threads: freed buffers of the compression threads go back to the system instead of piling up in
    // each.
    MALLOC_ARENA_MAX: '2',
    // Buffers of the downloads are collected before they pile up: a million rows take 30 MB less, in no more time.
    NODE_OPTIONS: '--max-semi-space-size=2',
    // The simulator is ready in moments; the real authority is asked far less often.
    SAT_POLL_FIRST_SECONDS: '0.25',
    SAT_POLL_MAX_SECONDS: '5',
    SAT_POLL_PORTAL_SECONDS: '0.25,0.6,1.2,2.5,5',
    SAT_POLL_LATE_SECONDS: '30',
    SAT_EMPTY_AGAIN_SECONDS: '2',
    S3_CREATE_BUCKET: 'true',
    // Where mails lead, if SMTP_URL and CORREO_DE have any sent.
    ...(panelUrl === undefined ? {} : { PANEL_PUBLIC_URL: panelUrl }),
    ...LOCAL_RECEIVERS,
    ...s3Env(addresses.s3),
  };
  return over(stack, given, { HEALTH_PORT: String(healthPort) });
}

/**
 * Writes the settings of the operator's commands to `path`, as a shell reads them: the file of each secret, and the
 * addresses of the parts. For the owner only.
 */
export async function writeOperatorEnv(
  path: string,
  addresses: StackAddresses,
  { carpeta }: StackSecrets,
  { autoridades, apiUrl, given }: { readonly autoridades: string; readonly apiUrl: string } & Given,
): Promise<void> {
  const folder = join(carpeta, 'operador');
  const files = Object.fromEntries((await readdir(folder)).map((name) => [`${name}_FILE`, join(folder, name)]));
  const plain = {
    EFIRMA_AUTORIDADES: autoridades,
    API_PUBLIC_URL: apiUrl,
    ...(given?.['CORREO_DE'] === undefined ? {} : { CORREO_DE: given['CORREO_DE'] }),
    ...satEnv(addresses, given),
    ...s3Env(addresses.s3),
  };
  const lines = Object.entries(over(files, plain)).map(
    ([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`,
  );
  await writeFile(path, lines.join(''), { mode: 0o600 });
}

/** Local address of a process that listens at `host`:`port`. */
export function urlAt(host: string | undefined, port: number): string {
  return urlOf(host === undefined || host === '0.0.0.0' ? LOOPBACK : host === '::' ? '::1' : host, port);
}

/** Where the panel answers, and the address that its users have. */
export function panelUrls(port: number, given: Env = {}): { readonly own: string; readonly public: string } {
  const own = urlAt(given['PANEL_HOST'], port);
  return { own, public: given['PANEL_PUBLIC_URL'] ?? own };
}

/** Settings of every process that calls the SAT (packages/sat/src/open-sat.ts). */
function satEnv({ simuladorUrl }: StackAddresses, given: Env = {}): Env {
  const captchas = { CAPTCHA_RESOLVER: 'simulador', CAPTCHA_URL: `${simuladorUrl}/cfdiau/simulador/captcha` };
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

/**
 * The secrets of a stack: one folder for each process with its own alone (files of mode 0600), and all of them in the
 * operator's.
 */
export interface StackSecrets {
  /** As `acuse operador secretos --carpeta` takes it. */
  readonly carpeta: string;
  readonly valores: Valores;
}

/** The secrets of one process, by the settings that name their files. */
type ProcessFiles = Readonly<Record<string, string>>;

/** Earlier versions kept all of them here, for every process. */
const EARLIER = 'secretos.json';

/**
 * The secrets kept in `dir`, made at the first time: the folder appears whole, so that the pairs in it always fit. A
 * file of an earlier version is split into the folder, and goes once everything that it had is there. Losing the folder
 * is losing the credentials that are stored under it.
 */
export async function ensureSecrets(dir: string): Promise<StackSecrets> {
  const carpeta = join(dir, 'secretos');
  const earlier = await readEarlier(join(dir, EARLIER));
  const isThere = await readdir(carpeta).then(
    () => true,
    () => false,
  );
  if (isThere) await writeInstalacion(carpeta, newSecretos());
  else await makeWhole(carpeta, { ...newSecretos(), ...newStore(), ...earlier });
  const valores = await readValues(carpeta);
  if (earlier && Object.entries(earlier).every(([name, value]) => valores[name] === value))
    await rm(join(dir, EARLIER));
  return { carpeta, valores };
}

/** Keeps addresses that have a password, by the operator's names, with the secrets of those who use them. */
export async function keepAddresses({ carpeta }: StackSecrets, addresses: Valores): Promise<void> {
  await changeValues(carpeta, (valores) => ({ ...valores, ...addresses }));
}

/** Settings for the secret files of one process. */
export function filesOf({ carpeta }: StackSecrets, proceso: keyof typeof PROCESOS): ProcessFiles {
  return Object.fromEntries(PROCESOS[proceso].map((name) => [`${name}_FILE`, join(carpeta, proceso, name)]));
}

async function makeWhole(carpeta: string, valores: Valores): Promise<void> {
  const parts = `${carpeta}.${randomUUID()}`;
  await mkdir(parts, { recursive: true, mode: 0o700 });
  try {
    await writeInstalacion(parts, valores);
    await rename(parts, carpeta);
  } catch (error) {
    await rm(parts, { recursive: true, force: true });
    // Another start at the same time was first.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function readEarlier(path: string): Promise<Valores | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The credential of the embedded store. */
function newStore(): Valores {
  return {
    S3_ACCESS_KEY_ID: `acuse-${randomBytes(6).toString('hex')}`,
    S3_SECRET_ACCESS_KEY: randomBytes(32).toString('base64'),
  };
}
