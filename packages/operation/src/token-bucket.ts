import { LRUCache } from 'lru-cache';

const MAX_KEYS = 100_000;
/** Milliseconds that sums of instants may be off by: a clock with fractions cannot hold them exactly. */
const ROUNDING_MS = 1e-3;

/**
 * Counts requests per key: `burst` at once, `perSecond` in the long run. Keeps one number a key, the instant at which
 * its bucket would be full (the virtual scheduling form of the generic cell rate algorithm, ITU-T I.371), of this
 * process only. `nowMs` must not go back.
 */
export function createTokenBucket(options: {
  readonly perSecond: number;
  readonly burst: number;
  readonly nowMs: () => number;
}) {
  const { perSecond, burst, nowMs } = options;
  const interval = 1_000 / perSecond;
  const fullAt = new LRUCache<string, number>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });

  return {
    perSecond,
    burst,
    take(key: string) {
      const now = nowMs();
      const before = Math.max(fullAt.get(key) ?? now, now);
      const after = before + interval;
      const wait = after - now - burst * interval;
      const allowed = wait <= ROUNDING_MS;
      if (allowed) fullAt.set(key, after);
      const debt = Math.max(0, (allowed ? after : before) - now - ROUNDING_MS);
      return {
        allowed,
        /** Whole requests that could follow at once. */
        remaining: Math.max(0, Math.floor(burst - debt / interval)),
        /** Seconds until the bucket is full again. */
        resetSeconds: Math.ceil(debt / 1_000),
        /** Seconds until one more is allowed; 0 when one is. */
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(wait / 1_000)),
      };
    },
  };
}

export type TokenBucket = ReturnType<typeof createTokenBucket>;
