import { DEFAULT_SCHEMA } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { driverOf } from './connection.ts';

/** What a queue's server is like, as far as the wake-up queue depends on it. */
export type QueueFacts =
  | {
      readonly driver: 'redis';
      readonly version: string;
      /** What it does when its memory is full; `noeviction` is the only one that never drops a wake-up. */
      readonly policy: string;
      readonly keepsOnDisk: boolean;
      readonly isReplica: boolean;
      readonly isCluster: boolean;
    }
  | {
      readonly driver: 'postgres';
      /** BullMQ's own schema is there. */
      readonly hasSchema: boolean;
      /** The user of the connection may use the schema. */
      readonly mayUse: boolean;
      /** It could be made at the first use. */
      readonly mayCreate: boolean;
    };

/**
 * Looks at the server of a queue without changing anything. Rejects with what the server or the way to it says. All of it
 * is read from INFO, which hosted servers allow where they forbid CONFIG.
 */
export function inspectQueue(url: string, timeoutMs: number): Promise<QueueFacts> {
  return driverOf(url) === 'redis' ? inspectRedis(url, timeoutMs) : inspectPostgres(url, timeoutMs);
}

async function inspectRedis(url: string, timeoutMs: number): Promise<QueueFacts> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // What a connection that is refused rejects with says only that it was closed; why comes as an event before.
  let reason: Error | undefined;
  client.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await client.connect();
    const info = parseInfo(await client.info());
    return {
      driver: 'redis',
      version: info.get('redis_version') ?? '',
      policy: info.get('maxmemory_policy') ?? '',
      keepsOnDisk: info.get('aof_enabled') === '1',
      isReplica: info.get('role') !== 'master',
      isCluster: info.get('cluster_enabled') === '1',
    };
  } catch (error) {
    throw reason ?? error;
  } finally {
    client.disconnect();
  }
}

/** `name:value` by line, under headings that begin with #. */
function parseInfo(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\r\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at < 1 || line.startsWith('#') ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );
}

async function inspectPostgres(url: string, timeoutMs: number): Promise<QueueFacts> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'acuse-revisar',
    options: '-c jit=off',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ hasSchema: boolean; mayUse: boolean | null; mayCreate: boolean }>(
      `SELECT to_regnamespace($1) IS NOT NULL AS "hasSchema",
         has_schema_privilege(to_regnamespace($1)::oid, 'CREATE, USAGE') AS "mayUse",
         has_database_privilege(current_database(), 'CREATE') AS "mayCreate"`,
      [DEFAULT_SCHEMA],
    );
    const [{ hasSchema, mayUse, mayCreate } = { hasSchema: false, mayUse: null, mayCreate: false }] = rows;
    return { driver: 'postgres', hasSchema, mayUse: mayUse === true, mayCreate };
  } finally {
    await client.end();
  }
}
