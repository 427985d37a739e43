import type { AccessSnapshot, AccessSnapshots, TipoCredencial } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import type { ApiKeyHash } from '@acuse/vault';
import { LRUCache } from 'lru-cache';

/** Passes, fresh from the database or kept in this process for a short while. */
export interface AccessCache {
  /** A kept one only if `mayUseCache`. Every fresh one replaces what was kept. */
  get(
    apiKeyId: string,
    mayUseCache: boolean,
  ): Promise<{ readonly access: AccessSnapshot | null; readonly isCached: boolean }>;
}

const MAX_CACHED = 10_000;

/**
 * Keeps passes for operations whose last statement demands their `version`: for those a kept pass can never let through
 * what the database would not. `seconds` 0 keeps none.
 */
export function createAccessCache(options: {
  readonly accessSnapshots: AccessSnapshots;
  readonly seconds: number;
}): AccessCache {
  const { accessSnapshots, seconds } = options;
  const kept = seconds > 0 ? new LRUCache<string, AccessSnapshot>({ max: MAX_CACHED, ttl: seconds * 1_000 }) : null;

  return {
    async get(apiKeyId, mayUseCache) {
      const cached = mayUseCache ? kept?.get(apiKeyId) : undefined;
      if (cached !== undefined) return { access: cached, isCached: true };
      const access = await accessSnapshots.load(apiKeyId);
      if (access === null) kept?.delete(apiKeyId);
      else kept?.set(apiKeyId, access);
      return { access, isCached: false };
    },
  };
}

/** Notes when and from where keys were last used, and hashes under a newer pepper, in batches, off the request path. */
export interface Usos {
  note(apiKeyId: string, at: Date, ip: string): void;
  /** Another hash of a key that was just verified, to take the place of `antes`. */
  rehash(apiKeyId: string, antes: Uint8Array, nuevo: ApiKeyHash): void;
  /** Writes what was noted. Never rejects: a lost note harms nobody, and a lost hash comes again with the key. */
  flush(): Promise<void>;
  /** Stops the timer and writes the rest. */
  close(): Promise<void>;
}

/** Flushes every `everyMs`. At most one note a key is kept between two flushes. */
export function createUsos(options: {
  readonly accessSnapshots: Pick<AccessSnapshots, 'noteUse' | 'rehash'>;
  readonly everyMs: number;
  readonly log: Logger;
}): Usos {
  const { accessSnapshots, everyMs, log } = options;
  let latest = new Map<string, { apiKeyId: string; at: Date; ip: string }>();
  let hashes = new Map<string, readonly [antes: Uint8Array, nuevo: ApiKeyHash]>();

  async function flush(): Promise<void> {
    if (latest.size === 0 && hashes.size === 0) return;
    const [usos, rehashed] = [[...latest.values()], hashes];
    latest = new Map();
    hashes = new Map();
    try {
      await accessSnapshots.noteUse(usos);
      for (const [apiKeyId, [antes, nuevo]] of rehashed) await accessSnapshots.rehash(apiKeyId, antes, nuevo);
    } catch (err) {
      log.warn({ err, keys: usos.length }, 'last_uses_not_stored');
    }
  }

  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();
  return {
    note(apiKeyId, at, ip) {
      latest.set(apiKeyId, { apiKeyId, at, ip });
    },
    rehash(apiKeyId, antes, nuevo) {
      hashes.set(apiKeyId, [antes, nuevo]);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

interface Taken {
  readonly allowed: boolean;
  /** Whole requests that could follow at once. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
  /** Seconds until one more is allowed; 0 when one is. */
  readonly retryAfterSeconds: number;
}

export interface TokenBucket {
  readonly perSecond: number;
  readonly burst: number;
  take(key: string): Taken;
}

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
}): TokenBucket {
  const { perSecond, burst, nowMs } = options;
  const interval = 1_000 / perSecond;
  const fullAt = new LRUCache<string, number>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });

  return {
    perSecond,
    burst,
    take(key) {
      const now = nowMs();
      const before = Math.max(fullAt.get(key) ?? now, now);
      const after = before + interval;
      const wait = after - now - burst * interval;
      const allowed = wait <= ROUNDING_MS;
      if (allowed) fullAt.set(key, after);
      const debt = Math.max(0, (allowed ? after : before) - now - ROUNDING_MS);
      return {
        allowed,
        remaining: Math.max(0, Math.floor(burst - debt / interval)),
        resetSeconds: Math.ceil(debt / 1_000),
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(wait / 1_000)),
      };
    },
  };
}

/**
 * What this process knows of the ways to an answer: which of an operation's credentials the SAT last left without one.
 */
export interface Caminos {
  /** The same, those that failed last behind the others. */
  order<T extends { readonly tipo: TipoCredencial }>(operacion: string, opciones: readonly T[]): readonly T[];
  note(operacion: string, tipo: TipoCredencial, isAnswered: boolean): void;
}

/**
 * A way that failed is tried first again after this time, milliseconds: the SAT's bad hours end, and an order is only a
 * preference.
 */
const OLVIDO_MS = 10 * 60_000;

export function createCaminos(now: () => number = Date.now): Caminos {
  const fallos = new Map<string, number>();
  const nameOf = (operacion: string, tipo: TipoCredencial) => `${operacion} ${tipo}`;
  return {
    order(operacion, opciones) {
      const isFailing = ({ tipo }: { readonly tipo: TipoCredencial }) =>
        now() - (fallos.get(nameOf(operacion, tipo)) ?? Number.NEGATIVE_INFINITY) < OLVIDO_MS;
      return [...opciones.filter((each) => !isFailing(each)), ...opciones.filter(isFailing)];
    },
    note(operacion, tipo, isAnswered) {
      if (isAnswered) fallos.delete(nameOf(operacion, tipo));
      else fallos.set(nameOf(operacion, tipo), now());
    },
  };
}

/**
 * Makes `wake`: sends at once, then at most once in `everyMs` however often it is called, and never leaves the last
 * call unsent. The caller never waits and never sees a failure, since the relay looks by itself every second.
 */
export function createWake(options: {
  readonly send: () => Promise<void>;
  readonly everyMs: number;
  readonly log: Logger;
}): () => void {
  const { send, everyMs, log } = options;
  let isResting = false;
  let isWanted = false;

  function fire(): void {
    isWanted = false;
    isResting = true;
    send().catch((err: unknown) => log.debug({ err }, 'relay_not_woken'));
    setTimeout(() => {
      isResting = false;
      if (isWanted) fire();
    }, everyMs).unref();
  }

  return () => {
    isWanted = true;
    if (!isResting) fire();
  };
}
