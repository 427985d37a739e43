import type { AccessSnapshot, AccessSnapshots } from '@acuse/core';
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
