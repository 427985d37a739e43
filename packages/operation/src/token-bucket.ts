import { LRUCache } from 'lru-cache';

const MAX_KEYS = 100_000;
/** Milliseconds that sums of instants may be off by: a clock with fractions cannot hold them exactly. */
const ROUNDING_MS = 1e-3;

type Rate = Readonly<Record<'perSecond' | 'burst', number>>;

/** Outcome of a request: `waitMs` until it is allowed, 0 when it is; `debtMs` until its bucket is full. */
export const takenOf = (
  { waitMs, debtMs }: Readonly<Record<'waitMs' | 'debtMs', number>>,
  { perSecond, burst }: Rate,
) => ({
  allowed: waitMs === 0,
  /** Whole requests that could follow at once. */
  remaining: Math.max(0, Math.floor(burst - (debtMs * perSecond) / 1_000)),
  /** Seconds until the bucket is full again. */
  resetSeconds: Math.ceil(debtMs / 1_000),
  /** Seconds until one more is allowed; 0 when one is. */
  retryAfterSeconds: Math.ceil(waitMs / 1_000),
});

/**
 * Counts requests per key: `burst` at once, `perSecond` in the long run. Keeps one number a key, the instant at which
 * its bucket would be full (the virtual scheduling form of the generic cell rate algorithm, ITU-T I.371), of this
 * process only. `nowMs` must not go back.
 */
export function createTokenBucket({ nowMs, ...rate }: Rate & { readonly nowMs: () => number }) {
  const interval = 1_000 / rate.perSecond;
  const fullAt = new LRUCache<string, number>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });

  return {
    take(key: string) {
      const now = nowMs();
      const before = Math.max(fullAt.get(key) ?? now, now);
      const after = before + interval;
      const wait = after - now - rate.burst * interval;
      const allowed = wait <= ROUNDING_MS;
      if (allowed) fullAt.set(key, after);
      const debtMs = Math.max(0, (allowed ? after : before) - now - ROUNDING_MS);
      return takenOf({ waitMs: allowed ? 0 : wait, debtMs }, rate);
    },
  };
}

export type TokenBucket = ReturnType<typeof createTokenBucket>;
