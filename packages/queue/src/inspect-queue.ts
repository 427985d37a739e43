import { Client } from '@acuse/db/instalacion/client';
import { parseQueueUrl, type QueueAddress } from '@acuse/runtime';
import { DEFAULT_SCHEMA } from 'bullmq';
import { mastersOf, openRedis } from './redis.ts';

/** What a queue's server is like, as far as the wake-up queue depends on it. */
export type QueueFacts =
  | {
      readonly driver: 'redis';
      readonly version: string;
      /** What it does when its memory is full; `noeviction` is the only one that never drops a wake-up. */
      readonly policy: string;
      readonly keepsOnDisk: boolean;
      readonly isReplica: boolean;
      /** It is a cluster, and its address calls it one server. */
      readonly isCluster: boolean;
      /** Sentinel or a cluster, and a master without a replica: it has no successor. */
      readonly isAlone: boolean;
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
  const address = parseQueueUrl(url);
  return address.kind === 'postgres' ? inspectPostgres(url, timeoutMs) : inspectRedis(address, timeoutMs);
}

/** Of several masters, each fact of the worst. */
async function inspectRedis(address: QueueAddress, timeoutMs: number): Promise<QueueFacts> {
  const client = openRedis(address, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // A connection that is refused rejects with its end only; an event before tells why, at times without the code.
  let reason: Error | undefined;
  for (const event of ['sentinelError', 'node error', 'error'])
    client.on(event, (error: Error) => {
      const [code] = /\bE[A-Z]{5,}\b/.exec(error.message.replace('Connection is closed', 'ECONNREFUSED')) ?? [];
      reason ??= Object.assign(error, code && { code });
    });
  try {
    await client.connect();
    const infos = await Promise.all(mastersOf(client).map(async (server) => parseInfo(await server.info())));
    const worst = (name: string, good: string) => infos.map((info) => info.get(name) ?? '').find((is) => is !== good);
    const oldest = infos
      .map((info) => info.get('redis_version') ?? '')
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    return {
      driver: 'redis',
      version: oldest[0] ?? '',
      policy: worst('maxmemory_policy', 'noeviction') ?? 'noeviction',
      keepsOnDisk: worst('aof_enabled', '1') === undefined,
      isReplica: worst('role', 'master') !== undefined,
      isCluster: address.kind !== 'cluster' && worst('cluster_enabled', '0') !== undefined,
      isAlone: address.kind !== 'redis' && infos.some((info) => info.get('connected_slaves') === '0'),
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
  const client = new Client({
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
