import { describe, expect, test } from 'vitest';
import { createHealth, serveHealth } from './health.ts';

const never = () => new Promise<never>(() => {});

function failure(code?: string): Error {
  return Object.assign(new Error('password authentication failed for acuse'), code === undefined ? {} : { code });
}

describe('health', () => {
  test('names each check with ok or the code of its failure, never its message', async () => {
    const health = createHealth({
      timeoutMs: 5,
      checks: {
        fine: async () => 1,
        refused: async () => Promise.reject(failure('ECONNREFUSED')),
        odd: async () => Promise.reject(failure('not a code: secret')),
        thrown: () => {
          throw failure();
        },
        slow: never,
      },
    });
    expect(await health.ready()).toEqual({
      status: 'unavailable',
      checks: {
        fine: 'ok',
        refused: 'ECONNREFUSED',
        odd: 'FAILED',
        thrown: 'FAILED',
        slow: 'DEADLINE_EXCEEDED',
      },
    });
    expect(health.live()).toEqual({ status: 'ok', checks: {} });
  });

  test('probes share a round of checks, and its report for a while', async () => {
    let calls = 0;
    let now = 0;
    const check = async () => {
      calls += 1;
    };
    const health = createHealth({ checks: { check }, cacheMs: 1_000, now: () => now });
    await Promise.all([health.ready(), health.ready(), health.ready()]);
    now = 999;
    await health.ready();
    expect(calls).toBe(1);
    now = 1_000;
    await health.ready();
    expect(calls).toBe(2);
  });

  test('is served over HTTP, and says closing once drained', async () => {
    let healthy = true;
    const health = createHealth({
      checks: { db: async () => (healthy ? 1 : Promise.reject(failure('57P03'))) },
      cacheMs: 0,
    });
    const server = await serveHealth(health, 0);
    const probe = async (path: string) => {
      const response = await fetch(server.url + path);
      return [response.status, await response.json()];
    };
    try {
      expect(await probe('/healthz?x=1')).toEqual([200, { status: 'ok', checks: {} }]);
      expect(await probe('/readyz')).toEqual([200, { status: 'ok', checks: { db: 'ok' } }]);
      healthy = false;
      expect(await probe('/readyz')).toEqual([503, { status: 'unavailable', checks: { db: '57P03' } }]);
      health.drain();
      expect(await probe('/readyz')).toEqual([503, { status: 'closing', checks: {} }]);
      expect(await probe('/healthz')).toEqual([200, { status: 'ok', checks: {} }]);
      expect((await probe('/other'))[0]).toBe(404);
    } finally {
      await server.close();
    }
  });
});
