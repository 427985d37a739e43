import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { migrate } from '@acuse/db';
import { ExplainedError, explain, type Logger } from '@acuse/runtime';
import { requireServers } from './external-servers.ts';
import { freePort } from './free-port.ts';
import { ensureDatabase } from './postgres/databases.ts';
import { type Logins, makeLogins } from './postgres/users.ts';
import { startPostgres } from './postgres.ts';
import { type AppProcess, createProcessGroup } from './process-group.ts';
import { buildPrograms, programEntry } from './programs.ts';
import { startS3 } from './s3.ts';
import {
  apiEnv,
  type Env,
  ensureSecrets,
  filesOf,
  keepAddresses,
  panelEnv,
  panelUrls,
  type S3Access,
  type StackAddresses,
  type StackSecrets,
  simuladorEnv,
  urlAt,
  workerEnv,
  writeOperatorEnv,
} from './stack-env.ts';

export interface StackOptions {
  /** Everything that must last: cluster, objects, secrets, the simulator's authority. */
  readonly dataDir: string;
  readonly log: Logger;
  /** The programs write their logs here; without it, to our standard output. */
  readonly logDir?: string;
  /**
   * A PostgreSQL to use, as the user that the address names, who owns the tables; without it, an embedded one is started,
   * where each process logs in as a user of its own.
   */
  readonly databaseUrl?: string;
  /** A queue to use; without it, the database is the queue. */
  readonly redisUrl?: string;
  /** Object store; without an `endpoint`, an embedded one with the given values. */
  readonly s3?: Partial<S3Access>;
  /** What API keys are hashed with, where it is not what the stack keeps. */
  readonly peppers?: string;
  /** How long a program may take to end what it does, in seconds. */
  readonly shutdownSeconds?: number;
  /** 0 or nothing: a free one. */
  readonly ports?: {
    readonly api?: number;
    readonly simulador?: number;
    readonly s3?: number;
    readonly postgres?: number;
    readonly panel?: number;
    readonly health?: number;
  };
  /** The web panel too; without it the stack is what the API needs. */
  readonly withPanel?: boolean;
  /** More settings of each worker, which win over those of all; one worker with every role by default. */
  readonly workers?: readonly Env[];
  /** More settings for a program, which win over those of the stack. */
  readonly env?: { readonly simulador?: Env; readonly api?: Env; readonly worker?: Env; readonly panel?: Env };
  /** Called when a program ends without an order. */
  readonly onUnexpectedExit?: (name: string, code: number | null, signal: NodeJS.Signals | null) => void;
}

/** A running stack. */
export interface RunningStack extends StackAddresses {
  readonly apiUrl: string;
  readonly secrets: StackSecrets;
  /** What API keys are hashed with. */
  readonly peppers: string;
  readonly simulador: AppProcess;
  readonly api: AppProcess;
  readonly workers: readonly AppProcess[];
  /** Null in a stack without one. */
  readonly panel: PanelProcess | null;
  /** Stops all in the reverse order of starting. Gives true when everything ended cleanly. May be called again. */
  stop(): Promise<boolean>;
}

export interface PanelProcess extends AppProcess {
  /** Where it answers. */
  readonly url: string;
  /** The address that its users have. */
  readonly publicUrl: string;
}

const BUCKET = 'acuse';
const DATABASE = 'acuse';
/** Milliseconds beyond its own limit that a program may take to end. */
const STOP_GRACE_MS = 5_000;

/** Starts all programs of one machine in order, and resolves when all answer; a failure stops the started ones. */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const { log, ports = {}, env = {} } = options;
  const dataDir = resolve(options.dataDir);
  await requireServers({
    DATABASE_URL: options.databaseUrl,
    'QUEUE_URL o --redis': options.redisUrl,
    S3_ENDPOINT: options.s3?.endpoint,
  });
  await mkdir(dataDir, { recursive: true });
  const closers: (() => Promise<unknown>)[] = [];
  const group = createProcessGroup({
    log,
    ...(options.logDir === undefined ? {} : { logDir: resolve(options.logDir) }),
    ...(options.onUnexpectedExit ? { onUnexpectedExit: options.onUnexpectedExit } : {}),
    ...(options.shutdownSeconds ? { stopTimeoutMs: options.shutdownSeconds * 1_000 + STOP_GRACE_MS } : {}),
  });
  let stopping: Promise<boolean> | undefined;
  const stop = () => {
    stopping ??= stopAll(() => group.stop(), closers);
    return stopping;
  };

  const programs = join(dataDir, 'programas');
  try {
    const secrets = await ensureSecrets(dataDir);
    await buildPrograms(programs);
    const [{ databaseUrl, logins }, s3, simulador] = await allOrFirstFailure([
      openDatabase(options, dataDir, closers),
      openS3(options, dataDir, secrets, closers),
      startSimulador(group, programs, join(dataDir, 'simulador'), ports.simulador || (await freePort()), env.simulador),
    ]);
    const addresses: StackAddresses = {
      databaseUrl,
      queueUrl: options.redisUrl ?? logins?.queueUrl ?? databaseUrl,
      simuladorUrl: simulador.url,
      s3,
    };
    const usuarios = logins?.usuarios ?? { api: databaseUrl, panel: databaseUrl, worker: databaseUrl };
    await keepAddresses(secrets, {
      DATABASE_URL: databaseUrl,
      DATABASE_URL_API: usuarios.api,
      DATABASE_URL_PANEL: usuarios.panel,
      DATABASE_URL_WORKER: usuarios.worker,
      QUEUE_URL: addresses.queueUrl,
    });
    const autoridades = await saveAutoridad(simulador.url, dataDir);
    const panelPort = options.withPanel ? ports.panel || (await freePort()) : undefined;
    const panelUrl = panelPort === undefined ? {} : { panelUrl: panelUrls(panelPort, env.panel).public };
    const workers = await Promise.all(
      (options.workers ?? [{}]).map(async (own, index) => {
        const healthPort = (index === 0 && ports.health) || (await freePort());
        return group.start({
          name: index === 0 ? 'worker' : `worker-${index + 1}`,
          entry: programEntry(programs, 'worker'),
          env: workerEnv(
            addresses,
            { ...filesOf(secrets, 'webhooks'), ...filesOf(secrets, 'descargas') },
            { healthPort, ...panelUrl, given: { ...ownMetricsPort(env.worker, WORKERS_METRICS + index), ...own } },
          ),
          readyUrl: `${urlAt(env.worker?.['HEALTH_HOST'], healthPort)}/readyz`,
        });
      }),
    );
    const ofApi = filesOf(secrets, 'api');
    // The API opens no queue on PostgreSQL, and has no file for it.
    const { QUEUE_URL_FILE: _, ...withoutQueue } = ofApi;
    const apiPort = ports.api || (await freePort());
    const apiUrl = urlAt(env.api?.['API_HOST'], apiPort);
    const api = await group.start({
      name: 'api',
      entry: programEntry(programs, 'api'),
      env: apiEnv(addresses, options.redisUrl === undefined ? withoutQueue : ofApi, {
        port: apiPort,
        autoridades,
        ...panelUrl,
        given: env.api,
      }),
      readyUrl: `${apiUrl}/readyz`,
    });
    let panel: PanelProcess | null = null;
    if (panelPort !== undefined) {
      const port = panelPort;
      const { own: url, public: publicUrl } = panelUrls(port, env.panel);
      const app = await group.start({
        name: 'panel',
        entry: programEntry(programs, 'panel'),
        env: panelEnv(addresses, filesOf(secrets, 'panel'), {
          port,
          apiUrl,
          autoridades,
          given: ownMetricsPort(env.panel, PANEL_METRICS),
        }),
        readyUrl: `${url}/readyz`,
      });
      panel = { ...app, url, publicUrl };
    }
    const ofOperator = { autoridades, apiUrl: env.api?.['API_PUBLIC_URL'] ?? apiUrl, given: env.worker };
    await writeOperatorEnv(join(dataDir, 'operador.env'), addresses, secrets, ofOperator);
    const peppers = options.peppers ?? secrets.valores['API_KEY_PEPPERS'] ?? '';
    return { ...addresses, apiUrl, secrets, peppers, simulador: simulador.app, api, workers, panel, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How far a process listens above METRICS_PORT, where the API does: on one machine each needs a port of its own. */
const PANEL_METRICS = 1;
const WORKERS_METRICS = 2;

function ownMetricsPort(given: Env | undefined, offset: number): Env | undefined {
  const first = Number(given?.['METRICS_PORT'] ?? 0);
  return first > 0 ? { ...given, METRICS_PORT: String(first + offset) } : given;
}

async function openDatabase(
  options: StackOptions,
  dataDir: string,
  closers: (() => Promise<unknown>)[],
): Promise<{ readonly databaseUrl: string; readonly logins: Logins | null }> {
  const bring = (url: string) =>
    // No process of another version is there: all of them are started after this.
    migrate(url, { anteriores: false }).catch((error: unknown) => {
      throw new ExplainedError(explain(error, { server: 'DATABASE_URL' }), { cause: error });
    });
  if (options.databaseUrl !== undefined) {
    await bring(options.databaseUrl);
    return { databaseUrl: options.databaseUrl, logins: null };
  }
  const { log, ports } = options;
  const port = ports?.postgres ? { port: ports.postgres } : {};
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), log, ...port });
  closers.push(postgres.stop);
  const databaseUrl = await ensureDatabase(postgres.url, DATABASE);
  await bring(databaseUrl);
  return { databaseUrl, logins: await makeLogins(databaseUrl) };
}

async function openS3(
  options: StackOptions,
  dataDir: string,
  secrets: StackSecrets,
  closers: (() => Promise<unknown>)[],
): Promise<S3Access> {
  const given = options.s3 ?? {};
  const { bucket = BUCKET } = given;
  if (given.endpoint) return { endpoint: given.endpoint, bucket, accessKeyId: '', secretAccessKey: '', ...given };
  const { S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = secrets.valores;
  const { accessKeyId = S3_ACCESS_KEY_ID, secretAccessKey = S3_SECRET_ACCESS_KEY } = given;
  const access = { accessKeyId, secretAccessKey };
  const { log, ports } = options;
  const s3 = await startS3({ dir: join(dataDir, 's3'), port: ports?.s3 ?? 0, buckets: [bucket], log, ...access });
  closers.push(s3.stop);
  return { endpoint: s3.endpoint, bucket, ...access };
}

async function startSimulador(
  group: ReturnType<typeof createProcessGroup>,
  programs: string,
  dataDir: string,
  port: number,
  extra: Env = {},
) {
  const url = `http://127.0.0.1:${port}`;
  await mkdir(dataDir, { recursive: true });
  const app = await group.start({
    name: 'simulador',
    entry: programEntry(programs, 'simulador'),
    env: { ...simuladorEnv(port, dataDir), ...extra },
    readyUrl: `${url}/salud`,
  });
  return { url, app };
}

/**
 * The simulator's authority takes the place of the SAT's: the API trusts the e.firmas that it issues, and no others.
 */
async function saveAutoridad(simuladorUrl: string, dataDir: string): Promise<string> {
  const response = await fetch(`${simuladorUrl}/control/ca.pem`);
  if (!response.ok) throw new Error(`El simulador no dio su autoridad certificadora (HTTP ${response.status}).`);
  const path = join(dataDir, 'autoridad-simulador.pem');
  await writeFile(path, await response.text());
  return path;
}

/**
 * Like Promise.all, but waits for every one before it fails, so that whatever was started is known to those who stop
 * it.
 */
async function allOrFirstFailure<T extends readonly unknown[]>(
  promises: { [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  const results = await Promise.allSettled(promises);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

async function stopAll(stopApps: () => Promise<boolean>, closers: (() => Promise<unknown>)[]): Promise<boolean> {
  let clean = await stopApps();
  for (const close of closers.reverse()) {
    clean = await close().then(
      () => clean,
      () => false,
    );
  }
  return clean;
}
