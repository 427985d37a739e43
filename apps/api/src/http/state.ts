import type { AccessSnapshot, TipoCredencial } from '@acuse/core';
import { type AccessSnapshots, startFlush } from '@acuse/db';
import { createTokenBucket, takenOf } from '@acuse/operation';
import type { SharedLimit } from '@acuse/queue/limit';
import type { Logger } from '@acuse/runtime';
import type { ApiKeyHash } from '@acuse/vault';
import { LRUCache } from 'lru-cache';

const MAX_CACHED = 10_000;

/**
 * Keeps passes for operations whose last statement demands their `version`: for those a kept pass can never let through
 * what the database would not. `seconds` 0 keeps none.
 */
export function createAccessCache(options: { readonly accessSnapshots: AccessSnapshots; readonly seconds: number }) {
  const { accessSnapshots, seconds } = options;
  const kept = seconds > 0 ? new LRUCache<string, AccessSnapshot>({ max: MAX_CACHED, ttl: seconds * 1_000 }) : null;

  return {
    /** Returns a cached snapshot only if `mayUseCache`. Every fresh one replaces the cached one. */
    async get(apiKeyId: string, mayUseCache: boolean) {
      const cached = mayUseCache ? kept?.get(apiKeyId) : undefined;
      if (cached !== undefined) return { access: cached, isCached: true };
      const access = await accessSnapshots.load(apiKeyId);
      if (access === null) kept?.delete(apiKeyId);
      else kept?.set(apiKeyId, access);
      return { access, isCached: false };
    },
  };
}

export type AccessCache = ReturnType<typeof createAccessCache>;

/**
 * Notes when and from where keys were last used, and hashes under a newer pepper, in batches, off the request path: every
 * `everyMs`, at most one note a key.
 */
export function createUsos(options: {
  readonly accessSnapshots: Pick<AccessSnapshots, 'noteUse' | 'rehash'>;
  readonly everyMs: number;
  readonly log: Logger;
}) {
  const { accessSnapshots, everyMs, log } = options;
  let latest = new Map<string, { apiKeyId: string; at: Date; ip: string }>();
  let hashes = new Map<string, readonly [antes: Uint8Array, nuevo: ApiKeyHash]>();

  /** Never rejects: a lost note does no harm, and a lost hash comes again with the key. */
  async function write(): Promise<void> {
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

  return {
    note(apiKeyId: string, at: Date, ip: string) {
      latest.set(apiKeyId, { apiKeyId, at, ip });
    },
    /** Another hash of a key that was just verified, to take the place of `antes`. */
    rehash(apiKeyId: string, antes: Uint8Array, nuevo: ApiKeyHash) {
      hashes.set(apiKeyId, [antes, nuevo]);
    },
    ...startFlush(write, { everyMs, onError: (err) => log.warn({ err }, 'last_uses_not_stored') }),
  };
}

export type Usos = ReturnType<typeof createUsos>;

/**
 * A way that failed is tried first again after this time, milliseconds: the SAT's bad hours end, and an order is only a
 * preference.
 */
const OLVIDO_MS = 10 * 60_000;

/**
 * What this process knows of the ways to an answer: which of an operation's credentials the SAT last left without one.
 */
export function createCaminos(now: () => number = Date.now) {
  const fallos = new Map<string, number>();
  const nameOf = (operacion: string, tipo: TipoCredencial) => `${operacion} ${tipo}`;
  return {
    /** The same, those that failed last behind the others. */
    order<T extends { readonly tipo: TipoCredencial }>(operacion: string, opciones: readonly T[]): readonly T[] {
      const isFailing = ({ tipo }: { readonly tipo: TipoCredencial }) =>
        now() - (fallos.get(nameOf(operacion, tipo)) ?? Number.NEGATIVE_INFINITY) < OLVIDO_MS;
      return [...opciones.filter((each) => !isFailing(each)), ...opciones.filter(isFailing)];
    },
    note(operacion: string, tipo: TipoCredencial, isAnswered: boolean) {
      if (isAnswered) fallos.delete(nameOf(operacion, tipo));
      else fallos.set(nameOf(operacion, tipo), now());
    },
  };
}

export type Caminos = ReturnType<typeof createCaminos>;

/**
 * Counts the calls of a key: with `shared` over all processes in one round trip to Redis, and by this process alone
 * without it or while Redis is away. The process counts every call, so that its own limit holds from the first moment.
 */
export function createRateLimit(rate: Readonly<Record<'perSecond' | 'burst', number>>, shared: SharedLimit | null) {
  const own = createTokenBucket({ ...rate, nowMs: () => performance.now() });
  const policy = `"llave";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)};acuse-alcance=`;
  return {
    /** `policy`: the RateLimit-Policy, which says whether the whole service (`servicio`) counted or this process. */
    async take(key: string) {
      const mine = own.take(key);
      const all = (await shared?.take(key)) ?? null;
      return all === null
        ? { ...mine, policy: `${policy}proceso` }
        : { ...takenOf(all, rate), policy: `${policy}servicio` };
    },
  };
}

export type RateLimit = ReturnType<typeof createRateLimit>;
