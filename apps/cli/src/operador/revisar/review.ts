import { cuelgan, inspectDatabase, inspectLogin, openDatabase } from '@acuse/db';
import { inspectQueue } from '@acuse/queue';
import { type Finding, fault, skipped } from '@acuse/roles/finding';
import { DeadlineError, deadline, explain } from '@acuse/runtime';
import { hostsInUse, httpSettingsOf, inspectHost } from '@acuse/sat';
import { inspectBucket } from '@acuse/storage';
import { FEATURE_CHECKS } from '../../features.ts';
import { reviewAuthorities } from './authorities.ts';
import { reviewBucket } from './bucket.ts';
import { medianOf, reviewClock, type Skew } from './clock.ts';
import { reviewCoordinator, reviewDatabase, reviewMigrations } from './database.ts';
import { hideSecrets, type Installation, type ProcessName, type Settings } from './environment.ts';
import { reviewLogin } from './logins.ts';
import { refusalOf, reviewQueue } from './queue.ts';
import { reviewCaptcha, reviewHost, reviewResolver, reviewUnreachable } from './sat.ts';
import { reviewSecrets } from './secrets.ts';
import { reviewSettings } from './settings.ts';

/** One thing that was looked at, by the name that it has in the report. */
export interface Reviewed extends Finding {
  readonly check: string;
}

export interface ReviewOptions {
  /** Our clock, in milliseconds. */
  readonly now: () => number;
  /** For each question to a server; all of them are asked at once. */
  readonly timeoutMs: number;
}

/** Looks at a whole installation from this machine. Never rejects: what cannot be asked is a finding. */
export async function review(installation: Installation, options: ReviewOptions): Promise<readonly Reviewed[]> {
  const { settings, processes } = installation;
  const { now, timeoutMs } = options;
  const features = await Promise.all(FEATURE_CHECKS.map((load) => load()));
  const asksSat = processes.some((process) => process !== 'panel');
  const within = <T>(ask: (signal: AbortSignal) => Promise<T>) => settle(deadline(timeoutMs, ask));

  const database = within(async () => {
    const url = need(settings.DATABASE_URL);
    return inspectDatabase(url, { timeoutMs, now });
  });
  const hanging = within(() => readHanging(need(settings.DATABASE_URL), timeoutMs));
  const logins = loginsOf(installation).map((login) => ({
    ...login,
    facts: within(() => inspectLogin(login.url, timeoutMs)),
  }));
  const queueUrl = settings.QUEUE_URL ?? installation.logins.get('worker')?.url ?? settings.DATABASE_URL;
  const queue = within(() => inspectQueue(need(queueUrl), timeoutMs));
  const bucket = within((signal) => inspectBucket(storageOf(settings), { signal, now }));
  const hosts = (asksSat ? hostsInUse(settings.SAT_CANALES_DESACTIVADOS ?? []) : []).map((host) => ({
    host,
    facts: within((signal) => inspectHost(host, httpSettingsOf(settings), { signal, now })),
  }));
  const authorities = settings.EFIRMA_AUTORIDADES;

  const checks: readonly (readonly [check: string, run: () => Promise<readonly Finding[]>])[] = [
    ['ajustes', async () => reviewSettings(installation)],
    [
      'secretos',
      () =>
        told(
          hanging,
          (found) => reviewSecrets(settings, found),
          () => reviewSecrets(settings, []),
        ),
    ],
    [
      'base de datos',
      () =>
        told(
          database,
          (facts) => reviewDatabase(facts, installation),
          (error) => [away(error, 'DATABASE_URL')],
        ),
    ],
    ...logins.map(
      ({ name, processes: by, facts }) =>
        [
          'usuarios',
          () =>
            told(
              facts,
              (found) => [reviewLogin(found, by)],
              // Does not repeat the finding about the database.
              (error) => [name === 'DATABASE_URL' ? skipped('la base de datos no contestó') : away(error, name)],
            ),
        ] as const,
    ),
    ['migraciones', () => told(database, reviewMigrations, () => [skipped('la base de datos no contestó')])],
    ['cola', () => told(queue, reviewQueue, (error) => [awayQueue(error)])],
    [
      'coordinador',
      () =>
        told(
          database,
          (facts) => [reviewCoordinator(facts)],
          () => [skipped('la base de datos no contestó')],
        ),
    ],
    [
      'almacén',
      () =>
        told(
          bucket,
          (facts) => reviewBucket(facts, settings),
          (error) => [away(error, 'S3_ENDPOINT')],
        ),
    ],
    [
      'autoridades',
      async () =>
        authorities === undefined
          ? [skipped('este proceso no las lee (EFIRMA_AUTORIDADES es de la API y del panel)')]
          : reviewAuthorities(authorities, now()),
    ],
    ...features.map(
      (each) =>
        [
          each.check,
          async () => (processes.includes(each.process) ? each.review(settings, timeoutMs) : [skipped(each.elsewhere)]),
        ] as const,
    ),
    ['captchas', async () => (asksSat ? [await captcha(settings, timeoutMs)] : [skipped('el panel no los pide')])],
    ...hosts.map(
      ({ host, facts }) =>
        [
          `SAT ${host}`,
          () =>
            told(
              facts,
              (found) => [reviewHost(found, now())],
              (error) => [late(error) ?? reviewUnreachable(error)],
            ),
        ] as const,
    ),
    ['reloj', async () => [reviewClock(await skewsOf(database, bucket, hosts))]],
  ];
  const found = await Promise.all(
    checks.map(async ([check, run]) => (await run()).map((each) => ({ check, ...each }))),
  );
  const hide = (text: string) => hideSecrets(text, installation.secrets);
  return found
    .flat()
    .map((each) => ({ ...each, seen: hide(each.seen), remedy: each.remedy === null ? null : hide(each.remedy) }));
}

/** Each address that processes log in by once, with those processes. */
function loginsOf({ logins }: Installation) {
  const found = new Map<string, { readonly name: string; readonly url: string; readonly processes: ProcessName[] }>();
  for (const [process, { name, url }] of logins) {
    const login = found.get(url) ?? { name, url, processes: [] };
    login.processes.push(process);
    found.set(url, login);
  }
  return [...found.values()];
}

type Settled<T> = { readonly value: T } | { readonly error: unknown };

const settle = <T>(asked: Promise<T>): Promise<Settled<T>> =>
  asked.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

const told = async <T>(
  asked: Promise<Settled<T>>,
  judge: (value: T) => readonly Finding[],
  failed: (error: unknown) => readonly Finding[],
): Promise<readonly Finding[]> => {
  const settled = await asked;
  return 'value' in settled ? judge(settled.value) : failed(settled.error);
};

/** A setting without which there is nothing to ask. */
class Missing extends Error {}

function need(value: string | undefined): string {
  if (value === undefined) throw new Missing();
  return value;
}

function late(error: unknown): Finding | null {
  if (!(error instanceof DeadlineError)) return null;
  return fault(
    `no contestó en ${error.timeoutMs / 1_000} s`,
    'Revise la red y el cortafuegos entre esta máquina y ese servidor.',
  );
}

function away(error: unknown, server: string): Finding {
  if (error instanceof Missing) return skipped(`falta ${server}`);
  return late(error) ?? fault('no se pudo preguntar', explain(error, { server }));
}

function awayQueue(error: unknown): Finding {
  return refusalOf(error) ?? away(error, error instanceof Missing ? 'QUEUE_URL' : 'QUEUE_URL o --redis');
}

async function captcha(settings: Settings, timeoutMs: number): Promise<Finding> {
  const finding = reviewCaptcha(settings);
  if (finding !== null || settings.CAPTCHA_URL === undefined) return finding ?? skipped('falta CAPTCHA_URL');
  const { CAPTCHA_URL: url } = settings;
  const asked = await settle(deadline(timeoutMs, (signal) => reviewResolver(url, signal)));
  return 'value' in asked ? asked.value : away(asked.error, 'CAPTCHA_URL');
}

async function readHanging(url: string, timeoutMs: number) {
  const database = openDatabase({ url, poolSize: 1, timeoutMs, applicationName: 'acuse-revisar' });
  try {
    return await cuelgan(database);
  } finally {
    await database.close();
  }
}

/** What the storage is asked by, in a process that was judged without it as by its defaults. */
const storageOf = ({
  S3_REGION = 'us-east-1',
  S3_BUCKET = 'acuse',
  S3_FORCE_PATH_STYLE = true,
  ...rest
}: Settings) => ({ ...rest, S3_REGION, S3_BUCKET, S3_FORCE_PATH_STYLE });

async function skewsOf(
  database: Promise<Settled<{ readonly skewMs: number }>>,
  bucket: Promise<Settled<{ readonly skewMs: number | null }>>,
  hosts: readonly { readonly facts: Promise<Settled<{ readonly skewMs: number | null }>> }[],
): Promise<readonly Skew[]> {
  const msOf = (settled: Settled<{ readonly skewMs: number | null }>) =>
    'value' in settled ? settled.value.skewMs : null;
  const ofHosts = (await Promise.all(hosts.map(({ facts }) => facts))).flatMap((each) => msOf(each) ?? []);
  const all = [
    { of: 'PostgreSQL', ms: msOf(await database) },
    { of: 'el almacén', ms: msOf(await bucket) },
    { of: 'el SAT', ms: medianOf(ofHosts) },
  ];
  return all.flatMap(({ of, ms }) => (ms === null ? [] : [{ of, ms }]));
}
