import type { Pase, Puerta } from '@acuse/core';
import { LRUCache } from 'lru-cache';

/** Passes, fresh from the database or kept in this process for a short while. */
export interface Pases {
  /** A kept one only if `mayUseCache`. Every fresh one replaces what was kept. */
  get(
    apiKeyId: string,
    mayUseCache: boolean,
  ): Promise<{ readonly pase: Pase | null; readonly isCached: boolean }>;
}

const MAX_PASES = 10_000;

/**
 * Keeps passes for operations whose last statement demands their `version`: for those a kept pass can never let through what the
 * database would not. `seconds` 0 keeps none.
 */
export function createPases(options: { readonly puerta: Puerta; readonly seconds: number }): Pases {
  const { puerta, seconds } = options;
  const kept = seconds > 0 ? new LRUCache<string, Pase>({ max: MAX_PASES, ttl: seconds * 1_000 }) : null;

  return {
    async get(apiKeyId, mayUseCache) {
      const cached = mayUseCache ? kept?.get(apiKeyId) : undefined;
      if (cached !== undefined) return { pase: cached, isCached: true };
      const pase = await puerta.load(apiKeyId);
      if (pase === null) kept?.delete(apiKeyId);
      else kept?.set(apiKeyId, pase);
      return { pase, isCached: false };
    },
  };
}
