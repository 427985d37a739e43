import { parseQueueUrl } from '@acuse/runtime';
import type { Redis } from 'ioredis';
import { mastersOf, openRedis } from './redis.ts';

/** Keys that one answer of the server may name. */
const PAGE = 500;

/** Reads what a key holds, by its type. */
const READ: Readonly<Record<string, (redis: Redis, key: string) => Promise<unknown>>> = {
  string: (redis, key) => redis.get(key),
  hash: (redis, key) => redis.hgetall(key),
  list: (redis, key) => redis.lrange(key, 0, -1),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, '0', '-1'),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
};

/**
 * Searches the names and values of every key in the Redis of a queue for a text, those of other programs included.
 * Returns null for a queue on PostgreSQL, whose tables are searched with all others.
 */
export async function searchQueue(
  url: string,
  text: string,
): Promise<{ readonly claves: number; readonly hallazgos: readonly string[] } | null> {
  const address = parseQueueUrl(url);
  if (address.kind === 'postgres') return null;
  const client = openRedis(address, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => null });
  client.on('error', () => {});
  try {
    await client.connect();
    const hallazgos: string[] = [];
    let claves = 0;
    for (const redis of mastersOf(client)) {
      let cursor = '0';
      do {
        const [next, keys] = await redis.scan(cursor, 'COUNT', PAGE);
        for (const key of keys) {
          claves += 1;
          const type = await redis.type(key);
          // A key deleted meanwhile holds nothing; a key of an unreadable type counts as a match.
          const value = type === 'none' ? null : ((await READ[type]?.(redis, key)) ?? text);
          if (`${key} ${JSON.stringify(value)}`.toUpperCase().includes(text.toUpperCase())) hallazgos.push(key);
        }
        cursor = next;
      } while (cursor !== '0');
    }
    return { claves, hallazgos };
  } finally {
    client.disconnect();
  }
}
