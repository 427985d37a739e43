import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, type Pedido } from '../fixtures/pedidos.ts';
import { LOOPS, logOf, STEPS, tellFailure } from '../fixtures/procesos.ts';
import { expectWhole } from '../fixtures/resultado.ts';
import { type Caller, type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';
import { type OwnRedis, ownRedis } from '../fixtures/servidores.ts';

const DIAS = [1, 2, 3, 4, 5, 6, 7, 8].map((day): Pedido => {
  const desde = `2025-02-0${day}`;
  return { tipo: 'emitidos', desde, hasta: desde };
});

describe.skipIf(inject('redisUrl') === null)('Redis is away', { timeout: 600_000 }, () => {
  let redis: OwnRedis;
  let servicio: Servicio;
  let caller: Caller;
  beforeEach(async () => {
    redis = await ownRedis();
    servicio = await startServicio({ queueUrl: redis.url });
    caller = await newEfirmaCaller(servicio);
  });
  afterEach(async (context) => {
    await tellFailure(servicio, context);
    await servicio.close();
    await redis.close();
  });

  const askAll = () => Promise.all(DIAS.map((pedido) => askFor(caller, pedido)));
  const expectAllWhole = async (ids: readonly string[]) => {
    for (const [at, pedido] of DIAS.entries()) await expectWhole(servicio, caller, ids[at] ?? '', pedido);
  };
  /** Wake-ups that the queue does not have. */
  const outbox = async () => (await servicio.sql`SELECT FROM outbox WHERE rung_at IS NULL`).length;
  const open = async () => (await servicio.sql`SELECT FROM outbox`).length;
  /** Wake-ups in the jobs of the queue of downloads. */
  const held = async (): Promise<number> => {
    const client = new Redis(redis.url);
    try {
      const queue = `bull:${servicio.bucket}-descargas`;
      const jobs = await client.lrange(`${queue}:wait`, 0, -1);
      const datos = await Promise.all(jobs.map((job) => client.hgetall(`${queue}:${job}`)));
      return datos.reduce((sum, each) => sum + JSON.parse(each['data'] ?? '{"wake_ups":[]}').wake_ups.length, 0);
    } finally {
      client.disconnect();
    }
  };

  it('from the start: requests are accepted all the same, and worked on as soon as it is there', {
    tags: ['slow'],
  }, async () => {
    const workers = [await servicio.startWorker(LOOPS), await servicio.startWorker(STEPS)];
    const ids = await askAll();
    await waitFor(async () => (await logOf(servicio, 'worker-1')).includes('"loop":"relay"') || null);
    expect(await open()).toBe(ids.length);
    await redis.start();
    await expectAllWhole(ids);
    expect(await open()).toBe(0);
    for (const worker of workers) expect(await worker.stop()).toBe(true);
  });

  it('and comes back empty, twice: what it had is woken all the same', async () => {
    await redis.start();
    const [loops, steps] = [await servicio.startWorker(LOOPS), await servicio.startWorker(STEPS)];
    const allWait = () => waitFor(async () => (await held()) === DIAS.length || null);
    // The worker has told of its slots and takes nothing: everything waits in the queue.
    await waitFor(async () => (await servicio.sql`SELECT FROM latido`).length === 2 || null);
    steps.kill('SIGSTOP');
    const ids = await askAll();
    await allWait();
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    await allWait();
    await redis.end('kill');
    await redis.wipe();
    await redis.start();
    steps.kill('SIGCONT');
    await expectAllWhole(ids);
    for (const worker of [loops, steps]) expect(await worker.stop()).toBe(true);
  });

  it('and does not answer: no request waits for it, and the work goes on when it answers again', {
    tags: ['slow'],
  }, async () => {
    await redis.start();
    const workers = [await servicio.startWorker(LOOPS), await servicio.startWorker(STEPS)];
    const first = await askFor(caller, { ...DIAS[0], tipo: 'recibidos' } as Pedido);
    await waitFor(async () => (await outbox()) === 0 || null);
    redis.signal('SIGSTOP');
    const frozenAt = Date.now();
    const ids = await askAll();
    await waitFor(async () => (await logOf(servicio, 'worker-1')).includes('"loop":"relay"') || null);
    await waitFor(async () => Date.now() - frozenAt > 5_000 || null);
    redis.signal('SIGCONT');
    await expectAllWhole(ids);
    await expectWhole(servicio, caller, first, { ...DIAS[0], tipo: 'recibidos' } as Pedido);
    for (const worker of workers) expect(await worker.stop()).toBe(true);
  });
});
