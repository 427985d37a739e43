import { randomBytes } from 'node:crypto';
import { access, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestPublicKeysOf } from '../manifiesto/manifest-keys.ts';
import { generateWorkerKeyPair } from '../sealing/worker-keys.ts';

/**
 * What each process of an installation is given to keep, by the names of its settings, and what the servers beside them
 * read.
 */
export const PROCESOS = {
  api: [
    'API_KEY_PEPPERS',
    'KEYRING',
    'WORKER_PUBLIC_KEY',
    'WORKER_PSK',
    'SESSION_KEYS',
    'WEBHOOK_KEYS',
    'MANIFEST_PUBLIC_KEYS',
    'DATABASE_URL',
    'QUEUE_URL',
    'S3_SECRET_ACCESS_KEY',
  ],
  panel: [
    ...['API_KEY_PEPPERS', 'KEYRING', 'WORKER_PUBLIC_KEY', 'WORKER_PSK', 'PANEL_SECRETS', 'WEBHOOK_KEYS'],
    ...['DATABASE_URL', 'QUEUE_URL', 'S3_SECRET_ACCESS_KEY'],
  ],
  descargas: ['WORKER_KEYS', 'WORKER_PSKS', 'SESSION_KEYS', 'DATABASE_URL', 'QUEUE_URL', 'S3_SECRET_ACCESS_KEY'],
  coordinador: ['SESSION_KEYS', 'DATABASE_URL', 'QUEUE_URL', 'S3_SECRET_ACCESS_KEY'],
  ensambles: ['MANIFEST_KEYS', 'DATABASE_URL', 'QUEUE_URL', 'S3_SECRET_ACCESS_KEY'],
  webhooks: ['WEBHOOK_KEYS', 'DATABASE_URL'],
  migrar: ['DATABASE_URL', 'DATABASE_URL_API', 'DATABASE_URL_PANEL', 'DATABASE_URL_WORKER'],
  postgres: ['POSTGRES_PASSWORD'],
  redis: ['REDIS_PASSWORD', 'redis.conf'],
  s3: ['s3.json'],
} as const;

/** Addresses of the users of the database, one for each kind of process. */
const ACCESOS = ['DATABASE_URL_API', 'DATABASE_URL_PANEL', 'DATABASE_URL_WORKER'] as const;

/**
 * Operator's name for the DATABASE_URL of each process, whose user has the rights of that process only. A process that
 * is not listed, or whose value is missing, uses the owner's.
 */
const USUARIOS: Partial<Record<keyof typeof PROCESOS, (typeof ACCESOS)[number]>> = {
  api: 'DATABASE_URL_API',
  panel: 'DATABASE_URL_PANEL',
  descargas: 'DATABASE_URL_WORKER',
  coordinador: 'DATABASE_URL_WORKER',
  ensambles: 'DATABASE_URL_WORKER',
  webhooks: 'DATABASE_URL_WORKER',
};
/** Has everything: who rotates the secrets writes those of all others. */
export const OPERADOR = 'operador';

/** What the API, the panel and the workers need to share and to keep, named like their settings. */
export function newSecretos(): Record<string, string> {
  const clave = () => randomBytes(32).toString('base64');
  const pair = generateWorkerKeyPair();
  const psk = clave();
  const manifest = `m1:${clave()}`;
  return {
    API_KEY_PEPPERS: `1:${clave()}`,
    KEYRING: `k1:${clave()}`,
    WORKER_PUBLIC_KEY: `w1:${pair.publicKey}`,
    WORKER_PSK: `p1:${psk}`,
    WORKER_KEYS: `w1:${pair.privateKey}`,
    WORKER_PSKS: `p1:${psk}`,
    SESSION_KEYS: `s1:${clave()}`,
    PANEL_SECRETS: `p1:${clave()}`,
    WEBHOOK_KEYS: `h1:${clave()}`,
    MANIFEST_KEYS: manifest,
    MANIFEST_PUBLIC_KEYS: manifestPublicKeysOf(manifest),
  };
}

/** Passwords of the servers that `docker-compose.yml` starts, and the settings that contain them. */
export function newServidores(): Record<string, string> {
  const [postgres, redis, s3] = Array.from({ length: 3 }, () => randomBytes(24).toString('base64url'));
  const address = `postgres://acuse:${postgres}@postgres:5432/acuse`;
  const identity = {
    name: 'acuse',
    credentials: [{ accessKey: 'acuse', secretKey: s3 }],
    actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
  };
  return {
    POSTGRES_PASSWORD: `${postgres}`,
    DATABASE_URL: address,
    ...newAccesos(address),
    REDIS_PASSWORD: `${redis}`,
    'redis.conf': `requirepass ${redis}\n`,
    QUEUE_URL: `redis://:${redis}@redis:6379`,
    S3_SECRET_ACCESS_KEY: `${s3}`,
    's3.json': JSON.stringify({ identities: [identity] }),
  };
}

export type Valores = Readonly<Record<string, string>>;

/**
 * Addresses of users of a database, one for each kind of process, by the names that the operator has for them; `migrar`
 * makes the users. Those that `own` has keep name and password, whatever server they are on now. @param suffix ends the
 * names of new ones, where the server may be another installation's too.
 */
export function newAccesos(
  databaseUrl: string,
  { own = {}, suffix = '' }: { readonly own?: Valores; readonly suffix?: string } = {},
): Record<(typeof ACCESOS)[number], string> {
  const of = (name: (typeof ACCESOS)[number]) => {
    const before = own[name] === undefined ? null : new URL(own[name]);
    const address = new URL(databaseUrl);
    address.username = before?.username ?? `acuse_entra_${name.replace(/^.*_/, '').toLowerCase()}${suffix}`;
    address.password = before?.password ?? randomBytes(24).toString('base64url');
    return address.href;
  };
  const [api, panel, worker] = ACCESOS;
  return { [api]: of(api), [panel]: of(panel), [worker]: of(worker) } as Record<(typeof ACCESOS)[number], string>;
}

/**
 * Database users for an installation made before they existed. On a foreign server the owner may not be allowed to
 * create users, so every process goes on as the owner until the operator decides otherwise.
 */
function accesosOf(own: string, ofOurs: string): Valores {
  if (new URL(own).host === new URL(ofOurs).host) return newAccesos(own);
  return Object.fromEntries(ACCESOS.map((name) => [name, own]));
}

/** What came with a later version and fits whatever is there: an installation of before is given it. */
const AGREGADOS = ['WEBHOOK_KEYS', 'MANIFEST_KEYS', 'MANIFEST_PUBLIC_KEYS', ...ACCESOS] as const;

const LOCK = '.rotando';
/** Our processes run under the owner; servers of other images read under users of their own what only they mount. */
const DE_OTROS: readonly string[] = ['postgres', 'redis', 's3'];

/**
 * Writes each secret to a file of its name, once for each process that needs it, in a folder of the process, and all of
 * them in the operator's. Of a folder whose operator already has any, only what came with a later version is added,
 * since half of the pairs would no longer fit. Returns the names written.
 */
export async function writeInstalacion(folder: string, valores: Valores): Promise<string[]> {
  const own = join(folder, OPERADOR);
  const isThere = await access(own).then(
    async () => (await readdir(own)).length > 0,
    () => false,
  );
  if (isThere) return addMissing(folder, valores);
  await writeValores(folder, valores);
  return Object.keys(valores);
}

async function addMissing(folder: string, given: Valores): Promise<string[]> {
  const own = await readValues(folder);
  const { DATABASE_URL: ofOurs } = given;
  const { DATABASE_URL: ofOwn = ofOurs } = own;
  const { MANIFEST_KEYS: seeds, MANIFEST_PUBLIC_KEYS: published } = own;
  const valores: Valores = {
    ...given,
    ...(seeds && !published ? { MANIFEST_PUBLIC_KEYS: manifestPublicKeysOf(seeds) } : {}),
    ...(ofOwn && ofOurs ? accesosOf(ofOwn, ofOurs) : {}),
  };
  const missing = AGREGADOS.filter((name) => own[name] === undefined && valores[name] !== undefined);
  if (missing.length === 0 && (await isWhole(folder, own))) return [];
  // With all others: a process that came with it has a folder, and nothing in it.
  await changeValues(folder, (all) => ({ ...valuesOf(valores, missing), ...all }));
  return [...missing];
}

/** False when a process came to read a value that its folder lacks. */
async function isWhole(folder: string, own: Valores): Promise<boolean> {
  const lacks = async ([proceso, parte]: readonly [string, Valores]) => {
    const there = await readdir(join(folder, proceso)).catch((): string[] => []);
    return Object.keys(parte).some((name) => !there.includes(name));
  };
  return !(await Promise.all([...partesOf(own)].map(lacks))).includes(true);
}

const valuesOf = (valores: Valores, names: readonly string[]): Valores =>
  Object.fromEntries(names.flatMap((name) => (valores[name] === undefined ? [] : [[name, valores[name]]])));

/** The values that the operator has. Throws what reading throws. */
export async function readValues(folder: string): Promise<Valores> {
  const own = join(folder, OPERADOR);
  const names = (await readdir(own)).filter((name) => !name.startsWith('.'));
  const entries = names.map(async (name) => [name, (await readFile(join(own, name), 'utf8')).trim()] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Changes the values of an installation, one change at a time: `change` receives the present values and returns the new
 * ones. Each file is replaced whole, the operator's last, so that a second run of the command completes an interrupted
 * one.
 */
export async function changeValues(folder: string, change: (valores: Valores) => Valores): Promise<Valores> {
  const lock = join(folder, OPERADOR, LOCK);
  const held = await open(lock, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`Otra orden está cambiando los secretos de ${folder}. Si no es así, borre ${lock} y repita.`);
  });
  try {
    const nuevos = change(await readValues(folder));
    await writeValores(folder, nuevos);
    return nuevos;
  } finally {
    await held.close();
    await rm(lock, { force: true });
  }
}

/**
 * What each process is given of the values of an installation, by the names of its settings. The API counts calls in a
 * Redis, and has nothing to do with a queue on PostgreSQL.
 */
export function partesOf(valores: Valores): ReadonlyMap<keyof typeof PROCESOS, Valores> {
  const procesos = Object.keys(PROCESOS) as (keyof typeof PROCESOS)[];
  return new Map(
    procesos.map((proceso) => {
      const acceso = valores[USUARIOS[proceso] ?? ''];
      const all = { ...valores, ...(acceso === undefined ? {} : { DATABASE_URL: acceso }) };
      const hasQueue = proceso !== 'api' || valores['QUEUE_URL']?.startsWith('redis');
      return [
        proceso,
        valuesOf(all, hasQueue ? PROCESOS[proceso] : PROCESOS.api.filter((name) => name !== 'QUEUE_URL')),
      ];
    }),
  );
}

async function writeValores(folder: string, valores: Valores): Promise<void> {
  for (const [proceso, parte] of partesOf(valores)) {
    const own = Object.entries(parte);
    if (own.length > 0) await writeAll(join(folder, proceso), own, DE_OTROS.includes(proceso) ? 0o644 : 0o600);
  }
  await writeAll(join(folder, OPERADOR), Object.entries(valores), 0o600);
}

async function writeAll(folder: string, valores: readonly (readonly [string, string])[], mode: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: mode === 0o600 ? 0o700 : 0o755 });
  for (const [name, value] of valores) {
    const path = join(folder, name);
    await writeFile(`${path}.nuevo`, value, { mode });
    await rename(`${path}.nuevo`, path);
  }
}
