import { randomBytes } from 'node:crypto';
import { createScheduledConsumer, createScheduler, QueueUnavailable } from '@acuse/queue';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { flowOnEachDriver, queueAt } from '../fixtures/drivers.ts';
import { untilTaken } from '../fixtures/queue.ts';
import { waitFor } from '../fixtures/servicio.ts';
import { ownRedis } from '../fixtures/servidores.ts';

const soon = () => AbortSignal.timeout(20_000);
/** Six fields: the first are the seconds. */
const EACH_SECOND = '* * * * * *';
const NEVER_HERE = '0 0 1 1 *';
const tz = 'America/Mexico_City';

flowOnEachDriver('work at times of the clock', (redisUrl) => {
  let settings: { url: string; namespace: string };
  const url = queueAt(redisUrl);
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(() => {
    settings = { url: url(), namespace: `t-${randomBytes(6).toString('hex')}` };
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const scheduler = (cron: string) => {
    const one = createScheduler(settings, { nombre: 'listas', cron, tz });
    closing.push(() => one.close());
    return { ensure: () => one.ensure(soon()), ensureInTheEnd: () => untilTaken(() => one.ensure(soon())) };
  };
  const consume = (handle: (signal: AbortSignal) => Promise<void>, onError: (error: unknown) => void = () => {}) => {
    const consumer = createScheduledConsumer(settings, { nombre: 'listas', handle, onError });
    closing.push(() => consumer.close(0));
    return consumer;
  };

  it('is done again and again, also after it failed', async () => {
    let done = 0;
    const errors: unknown[] = [];
    const failure = new Error('of the work');
    consume(
      async () => {
        done += 1;
        if (done === 1) throw failure;
      },
      (error) => errors.push(error),
    );
    await scheduler(EACH_SECOND).ensureInTheEnd();
    await waitFor(async () => done >= 3 || null);
    expect(errors).toContain(failure);
  });

  it('is done once however many processes ask for it and wait for it', async () => {
    // Timers of Node may fire a millisecond early.
    const second = () => Math.floor((Date.now() + 50) / 1_000);
    const from = Math.floor(Date.now() / 1_000);
    /**
     * Seconds that had begun when it was done: what a busy machine does late may be two in one second, but never more
     * than those.
     */
    const begun: number[] = [];
    const handle = async () => void begun.push(second() - from);
    for (let n = 0; n < 3; n += 1) consume(handle);
    const all = Array.from({ length: 3 }, () => scheduler(EACH_SECOND));
    await Promise.all(all.map((one) => one.ensureInTheEnd()));
    // So many that twice a second would be more than have begun, also if it took a while until the first.
    const enough = 4 + 2 * (second() - from);
    await waitFor(async () => begun.length >= enough || null);
    expect(begun.filter((seconds, n) => n + 1 > seconds)).toEqual([]);
  });

  it('follows its newest time, and a schedule that is as it should be is left alone', async () => {
    let done = 0;
    consume(async () => {
      done += 1;
    });
    const yearly = scheduler(NEVER_HERE);
    await yearly.ensureInTheEnd();
    await yearly.ensureInTheEnd();
    expect(done).toBe(0);
    await scheduler(EACH_SECOND).ensureInTheEnd();
    await waitFor(async () => done >= 2 || null);
  });

  it('refuses a time that is none', async () => {
    await expect(scheduler('sometimes').ensure()).rejects.toBeInstanceOf(QueueUnavailable);
  });
});

describe.skipIf(inject('redisUrl') === null)('work at times of the clock, and Redis away', () => {
  it('is refused in time, and comes back by the same objects, also when all was lost', async () => {
    const redis = await ownRedis();
    const settings = { url: redis.url, namespace: 'prueba' };
    const scheduler = createScheduler(settings, { nombre: 'listas', cron: EACH_SECOND, tz });
    let done = 0;
    const consumer = createScheduledConsumer(settings, {
      nombre: 'listas',
      handle: async () => {
        done += 1;
      },
      onError: () => {},
    });
    const ensure = (ms: number) => scheduler.ensure(AbortSignal.timeout(ms));
    for (const fin of ['kill', 'stop'] as const) {
      for (let n = 0; n < 3; n += 1) await expect(ensure(300)).rejects.toBeInstanceOf(QueueUnavailable);
      await redis.start();
      await waitFor(() =>
        ensure(2_000).then(
          () => true,
          () => null,
        ),
      );
      const before = done;
      await waitFor(async () => done > before + 1 || null);
      await redis.end(fin);
      await redis.wipe();
    }
    await consumer.close(0);
    await scheduler.close();
    await redis.close();
  });
});
