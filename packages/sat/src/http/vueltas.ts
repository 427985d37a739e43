import { SatError } from '@acuse/core';

/** What an answer of the authority takes about, milliseconds: so fast does a host's room come back. */
const RESPUESTA_MS = 1_000;

/**
 * When those come again whom a busy host sent away: one after the other, as room comes back, so that few of them are
 * sent away twice.
 */
export function createVueltas(maxPerHost: number, now: () => number) {
  const next = new Map<string, number>();
  return {
    /** Throws OCUPADO for a host with so many requests under way that another one would wait. */
    assertRoom(host: string, underWay: number): void {
      if (underWay < maxPerHost) return;
      const at = Math.max(now(), next.get(host) ?? 0) + RESPUESTA_MS / maxPerHost;
      next.set(host, at);
      throw new SatError('OCUPADO', { detalle: host, esperaMs: Math.ceil(at - now()) });
    },
  };
}
