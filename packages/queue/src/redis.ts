import type { QueueAddress } from '@acuse/runtime';
import { Cluster, Redis, type RedisOptions } from 'ioredis';

export type Options = Pick<
  RedisOptions,
  'commandTimeout' | 'connectTimeout' | 'enableOfflineQueue' | 'lazyConnect' | 'maxRetriesPerRequest'
> & {
  /** Milliseconds until the next try; null gives up. */
  readonly retryStrategy?: (times: number) => number | null;
};

/** Reconnects within half a second of the server's return; the library's own curve grows to twenty. */
const retryStrategy = (times: number) => Math.min(50 * times, 500);

/**
 * Milliseconds without a byte after which a connection with open commands is closed: its machine may be gone without a
 * word. Longer than BullMQ's longest blocking read, ten seconds.
 */
const SILENT_MS = 15_000;

/** Opens the Redis of an address: one server, the master that the sentinels name, or a cluster. */
export function openRedis({ kind, servers, master }: QueueAddress, options: Options): Redis | Cluster {
  const [{ href, protocol, username, password }] = servers;
  const nodes = servers.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
  }));
  const tls = protocol === 'rediss:' ? {} : undefined;
  const common = {
    connectTimeout: 2_000,
    socketTimeout: SILENT_MS,
    retryStrategy,
    // A master that was replaced is a replica: 2 connects to the new one and sends the command there.
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? (2 as const) : false),
    ...options,
  };
  if (kind === 'cluster')
    return new Cluster(nodes, {
      ...common,
      clusterRetryStrategy: common.retryStrategy,
      // A certificate names the host, not the address that it resolves to.
      dnsLookup: (host, done) => done(null, host),
      redisOptions: {
        ...common,
        username: decodeURIComponent(username),
        password: decodeURIComponent(password),
        ...(tls && { tls }),
      },
    });
  return new Redis(href, {
    ...common,
    ...(kind === 'sentinel' && {
      sentinels: nodes,
      name: master,
      sentinelRetryStrategy: common.retryStrategy,
      sentinelCommandTimeout: common.connectTimeout,
      enableTLSForSentinelMode: tls !== undefined,
      ...(tls && { sentinelTLS: tls }),
    }),
  });
}

/** The servers of a connection that take writes: all masters of a cluster. */
export const mastersOf = (client: Redis | Cluster): readonly Redis[] =>
  client instanceof Cluster ? client.nodes('master') : [client];
