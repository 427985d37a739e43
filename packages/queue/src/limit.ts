import { parseQueueUrl } from '@acuse/runtime';
import { openRedis } from './redis.ts';

/**
 * One call by the generic cell rate algorithm, as `createTokenBucket` of `@acuse/operation` counts it, by Redis's clock:
 * the key holds the microsecond at which its bucket is full. Returns microseconds until the call is allowed and until
 * the bucket is full. Redis 5 and 6 take a write after TIME only with `replicate_commands`.
 */
const TAKE = `
redis.replicate_commands()
local time = redis.call('TIME')
local now, interval = time[1] * 1000000 + time[2], tonumber(ARGV[1])
local before = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local after = before + interval
local wait = after - now - ARGV[2] * interval
if wait > 0 then return {wait, before - now} end
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
return {0, after - now}`;

/** Milliseconds that a call waits for Redis. */
const ANSWER_MS = 25;
/** Milliseconds that Redis is left alone after it has failed one. */
const ALONE_MS = 1_000;

export interface SharedLimit {
  /** Counts a call of `key` over all processes; null when Redis does not answer in time, which never rejects. */
  take(key: string): Promise<{ readonly waitMs: number; readonly debtMs: number } | null>;
  close(): void;
}

/**
 * Opens the count of calls that all processes share: `burst` at once, `perSecond` in the long run. Null where the queue
 * is not on Redis. `onAway` hears of a failure, once a second at most.
 * @param answerMs longest wait for Redis, milliseconds.
 */
export function openSharedLimit(
  url: string,
  { perSecond, burst }: Readonly<Record<'perSecond' | 'burst', number>>,
  onAway: (error: unknown) => void,
  answerMs = ANSWER_MS,
): SharedLimit | null {
  const address = parseQueueUrl(url);
  if (address.kind === 'postgres') return null;
  const client = openRedis(address, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  // Each command fails by itself.
  client.on('error', () => {});
  client.defineCommand('take', { numberOfKeys: 1, lua: TAKE });
  const { take } = client as unknown as { take(...args: unknown[]): Promise<[wait: number, debt: number]> };
  const interval = Math.floor(1_000_000 / perSecond);
  let aloneUntil = 0;

  return {
    async take(key) {
      if (performance.now() < aloneUntil) return null;
      const late = lateness(answerMs);
      try {
        const [wait, debt] = await Promise.race([
          take.call(client, `acuse:limite:${key}`, interval, burst),
          late.error,
        ]);
        return { waitMs: wait / 1_000, debtMs: debt / 1_000 };
      } catch (error) {
        if (performance.now() >= aloneUntil) onAway(error);
        aloneUntil = performance.now() + ALONE_MS;
        return null;
      } finally {
        late.cancel();
      }
    },
    close: () => client.disconnect(),
  };
}

/** A promise that rejects when Redis is late. An answer that came while this process was busy is read first. */
function lateness(answerMs: number) {
  let timer: NodeJS.Timeout | undefined;
  const error = new Promise<never>((_, reject) => {
    const refuse = () => reject(new Error(`Redis did not answer within ${answerMs} ms`));
    timer = setTimeout(() => setImmediate(refuse), answerMs);
  });
  return { error, cancel: () => clearTimeout(timer) };
}
