import { randomUUID } from 'node:crypto';
import { createTokenBucket, takenOf } from '@acuse/operation';
import { openSharedLimit, type SharedLimit } from '@acuse/queue/limit';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { clusterGroup, sentinelGroup } from '../fixtures/redis-groups.ts';
import { type Caller, useServicio, waitFor } from '../fixtures/servicio.ts';
import { type OwnRedis, ownRedis } from '../fixtures/servidores.ts';

/** So slow that nothing comes back while a test runs. */
const RATE = { perSecond: 0.001, burst: 3 };
const limitAt = (url: string) => openSharedLimit(url, RATE, () => {}, 60_000) as SharedLimit;
const isUp = (limit: SharedLimit) => waitFor(() => limit.take(randomUUID()));

const one = async () => ({ url: inject('redisUrl') ?? '', isWhole: async () => {}, close: async () => {} });
const SERVERS = { 'one Redis': one, sentinels: sentinelGroup, 'a cluster': clusterGroup };

describe.skipIf(inject('redisUrl') === null).each(Object.entries(SERVERS))('the limit on %s', (_, start) => {
  it('counts the calls of a key over two processes as one process counts them', async () => {
    const server = await start();
    await server.isWhole();
    const limits = [limitAt(server.url), limitAt(server.url)] as const;
    await Promise.all(limits.map(isUp));
    const own = createTokenBucket({ ...RATE, nowMs: () => 0 });
    for (const key of [randomUUID(), randomUUID()])
      for (let count = 0; count < 5; count += 1) {
        const { waitMs, debtMs } = (await limits[count % 2]?.take(key)) ?? { waitMs: -1, debtMs: -1 };
        const { allowed, remaining } = takenOf({ waitMs, debtMs }, RATE);
        expect({ allowed, remaining }).toEqual({ allowed: count < 3, remaining: own.take(key).remaining });
      }
    for (const limit of limits) limit.close();
    await server.close();
  });
});

it('is not shared where the queue is on PostgreSQL', () => {
  expect(openSharedLimit('postgres://u:p@127.0.0.1/cola', RATE, () => {})).toBeNull();
});

describe.skipIf(inject('redisUrl') === null)('the limit of two API processes', () => {
  const BURST = 5;
  const servicio = useServicio({});
  let redis: OwnRedis;
  let apis: { readonly url: string }[] = [];
  beforeAll(async () => {
    redis = await ownRedis();
    await redis.start();
    const env = { QUEUE_URL: redis.url, RATE_LIMIT_RPS: '1', RATE_LIMIT_BURST: String(BURST) };
    apis = await Promise.all([1, 2].map(() => servicio.startApiProcess(env)));
  });
  afterAll(() => redis?.close());

  const call = async (caller: Caller) => {
    const { status, headers } = await caller.call('vault/estado', { rfc: caller.rfc });
    expect([200, 429]).toContain(status);
    return { status, counted: /acuse-alcance=(\w+)$/.exec(headers.get('ratelimit-policy') ?? '')?.[1] };
  };
  /** Twice the burst of a new key at each process until all were counted so: allowed calls beyond what the rate gave. */
  const flood = (by: string) =>
    waitFor(async () => {
      const callers = apis.map((await servicio.newCaller()).at);
      const started = performance.now();
      const answers = await Promise.all(Array.from({ length: 2 * BURST }, () => callers.map(call)).flat());
      const regained = Math.ceil((performance.now() - started) / 1_000);
      if (answers.some(({ counted }) => counted !== by)) return null;
      return { allowed: answers.filter(({ status }) => status === 200).length, regained };
    });

  it('is one, and that of each process while Redis is away or silent', async () => {
    const shared = await flood('servicio');
    expect(shared.allowed).toBeGreaterThanOrEqual(BURST);
    expect(shared.allowed).toBeLessThanOrEqual(BURST + shared.regained);

    await redis.end('kill');
    const away = await flood('proceso');
    expect(away.allowed).toBeGreaterThanOrEqual(2 * BURST);
    expect(away.allowed).toBeLessThanOrEqual(2 * (BURST + away.regained));

    await redis.start();
    await flood('servicio');
    redis.signal('SIGSTOP');
    await flood('proceso');
    redis.signal('SIGCONT');
    await flood('servicio');
  });
});
