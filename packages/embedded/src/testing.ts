import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@acuse/runtime';
import { findSystemPostgres } from './postgres/binaries.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { startS3 } from './s3.ts';

/** The servers that a test run shares. Each test makes a database, a bucket, a namespace of its own in them. */
export interface SharedTestServers {
  /** The maintenance database of a PostgreSQL that gives up durability for speed. */
  readonly postgresUrl: string;
  /** A store without buckets. */
  readonly s3: { readonly endpoint: string; readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Null when the machine has no Redis. */
  readonly redisUrl: string | null;
}

/** The part of vitest's project that is needed: tests get the values by `inject('postgresUrl')` and so on. */
export interface Providing {
  provide<Name extends keyof SharedTestServers>(name: Name, value: SharedTestServers[Name]): void;
}

/**
 * Starts one PostgreSQL (the machine's own from a package `postgresql`, as installations run it, else the embedded
 * one), one S3-compatible store and, if installed, one Redis. For a `globalSetup` of vitest: `export default ({ provide
 * }) => sharedTestServers({ provide })`. Returns the function that stops them and removes their data.
 * `TEST_DATABASE_URL` and `TEST_REDIS_URL` of the environment replace the first and the last. `say` gets a line about
 * the PostgreSQL.
 */
export async function sharedTestServers(
  project: Providing,
  env = process.env,
  say: (line: string) => void = () => {},
): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'acuse-servers-'));
  const log = silentLogger;
  const credentials = { accessKeyId: 'acuse-test', secretAccessKey: randomBytes(24).toString('base64url') };
  const system = env['TEST_DATABASE_URL'] ? null : await findSystemPostgres();
  const binaries = system === null ? {} : { binaries: system };
  const started = await Promise.allSettled([
    env['TEST_DATABASE_URL']
      ? null
      : startPostgres({ dataDir: join(home, 'postgres'), log, durable: false, ...binaries }),
    startS3({ dir: join(home, 's3'), buckets: [], log, ...credentials }),
    env['TEST_REDIS_URL'] ? null : startRedis({ dir: join(home, 'redis'), log }),
  ]);
  const stop = async () => {
    await Promise.all(started.map((each) => (each.status === 'fulfilled' ? each.value?.stop() : undefined)));
    await rm(home, { recursive: true, force: true });
  };
  const [postgres, s3, redis] = started;
  const failed = started.find((each) => each.status === 'rejected');
  if (failed || postgres.status === 'rejected' || s3.status === 'rejected' || redis.status === 'rejected') {
    await stop();
    throw failed?.reason;
  }
  project.provide('postgresUrl', env['TEST_DATABASE_URL'] ?? postgres.value?.url ?? '');
  if (env['TEST_DATABASE_URL']) say('The tests use the PostgreSQL of TEST_DATABASE_URL.');
  else if (system) say(`The tests use the PostgreSQL ${system.major} of this machine: ${system.postgres}`);
  else say('The tests use the embedded PostgreSQL: this machine has none of its own from version 15 on.');
  project.provide('s3', { endpoint: s3.value.endpoint, ...credentials });
  project.provide('redisUrl', env['TEST_REDIS_URL'] ?? redis.value?.url ?? null);
  return stop;
}
