import { randomBytes } from 'node:crypto';
import { createClaims, createHeartbeats, createOutbox, createSweeper } from '@acuse/db';
import { createConsumer, createQueue } from '@acuse/queue';
import { uuidV7 } from '@acuse/runtime';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { onEachDriver } from '../fixtures/drivers.ts';
import { untilTaken } from '../fixtures/queue.ts';
import { waitFor } from '../fixtures/wait-for.ts';

const OPEN = 60;
const SLOTS = 8;
/** A grace that is over at once: the queue is further behind than it whatever the machine does. */
const grace = { graceSeconds: -1 };

onEachDriver('a queue further behind than the grace', (redisUrl) => {
  const t = useDatabase();
  const namespace = `t-${randomBytes(6).toString('hex')}`;

  /** Empties the queue, and leaves alone what others have on the same Redis. */
  async function wipe(): Promise<void> {
    if (redisUrl === undefined) return void (await t.sql`TRUNCATE bullmq.job CASCADE`);
    const client = new Redis(redisUrl);
    // At once: a job that is added between the list of keys and their deletion would keep its key and lose its place.
    await client.eval(`return redis.call('DEL', unpack(redis.call('KEYS', ARGV[1])))`, 0, `bull:${namespace}-*`);
    client.disconnect();
  }

  async function waiting(): Promise<number> {
    if (redisUrl === undefined) return (await t.sql`SELECT FROM bullmq.job WHERE state = 'waiting'`).length;
    const client = new Redis(redisUrl);
    const n = await client.llen(`bull:${namespace}-descargas:wait`);
    client.disconnect();
    return n;
  }

  it('is worked off wake-up by wake-up, also after it was emptied: what waits is woken again and does not go stale', async () => {
    const taxpayer = await seedTaxpayer(t.db);
    const ids = Array.from({ length: OPEN }, () => uuidV7());
    await t.sql`
      WITH nueva AS (
        INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, due_at, deadline_at)
        SELECT i, ${taxpayer.cuentaId}, ${taxpayer.contribuyenteId}, i::text, 'R', 'recibidos', '2025-01-01', '2025-01-01', 'soap',
          now() - interval '1 hour', now() + interval '1 day'
        FROM unnest(${ids}::uuid[]) i RETURNING id, cuenta_id, due_at
      )
      INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at) SELECT id, 1, 'descargas', cuenta_id, due_at FROM nueva`;
    await createHeartbeats(t.db).beat({ proceso: 'uno', rol: 'descargas', consumed: false, slots: SLOTS });
    const settings = { url: redisUrl ?? t.url, namespace };
    const queue = createQueue(settings);
    const outbox = createOutbox(t.db);
    const sweeper = createSweeper(t.db);
    const claims = createClaims(t.db);
    const loops = async () => {
      await sweeper.wakeOverdue({ limit: 500, findLost: true });
      return untilTaken(() => outbox.drain(grace, (wakeUps) => queue.wake(wakeUps, AbortSignal.timeout(20_000))));
    };

    // Woken again and again without a consumer: the queue holds each wake-up once, and no more than the slots need.
    for (let n = 0; n < 5; n += 1) await loops();
    const held = await waiting();
    expect(held).toBeGreaterThanOrEqual(SLOTS);
    expect(held).toBeLessThanOrEqual(SLOTS + 4);

    const counts = { wakeUps: 0, claims: 0 };
    let work: Promise<unknown> = Promise.resolve();
    const handle = async ({ solicitudId, gen }: { solicitudId: string; gen: number }) => {
      counts.wakeUps += 1;
      // The loops run before each claim, as they do when a wake-up has waited for long.
      await loops();
      const claimed = await claims.claim({ solicitudId, gen, queue: 'descargas', leaseSeconds: 60 });
      if (!claimed) return;
      counts.claims += 1;
      await claims.release(claimed, {}, { queue: 'descargas', inSeconds: 3_600 });
      if (counts.claims === OPEN / 2) await wipe();
      await loops();
    };
    const consumer = createConsumer(settings, {
      queue: 'descargas',
      concurrency: 1,
      handle: (wakeUp) => {
        const next = work.then(() => handle(wakeUp));
        work = next.catch(() => {});
        return next;
      },
      onError: () => {},
    });
    // What the queue lost is woken by the loops alone.
    await waitFor(async () => {
      await loops();
      return counts.claims >= OPEN || null;
    }, 300);
    await consumer.close(0);
    await queue.close();
    expect(counts.claims).toBe(OPEN);
    expect(counts.wakeUps).toBeLessThan(2 * OPEN);
    expect(await t.sql`SELECT DISTINCT gen, epoch FROM solicitud`).toEqual([{ gen: 2, epoch: 2 }]);
  });
});
