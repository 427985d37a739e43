import { randomBytes, randomUUID } from 'node:crypto';
import type { WakeUp } from '@acuse/core';
import { createConsumer, createQueue, NotBegun } from '@acuse/queue';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectTo, queueName } from '../../../packages/queue/src/connection.ts';
import { onEachDriver, queueAt } from '../fixtures/drivers.ts';
import { untilTaken } from '../fixtures/queue.ts';
import { waitFor } from '../fixtures/servicio.ts';

const DEADLINE_MS = 20_000;
const soon = () => AbortSignal.timeout(DEADLINE_MS);
const wakeUp = (options: Partial<WakeUp> = {}): WakeUp => ({
  solicitudId: randomUUID(),
  gen: 1,
  queue: 'descargas',
  ...options,
});

onEachDriver('the wake-up queue', (redisUrl) => {
  const url = queueAt(redisUrl);
  let namespace: string;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(() => {
    namespace = `t-${randomBytes(6).toString('hex')}`;
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const openQueue = () => {
    const queue = createQueue({ url: url(), namespace });
    closing.push(() => queue.close());
    return {
      announce: (topic: string) => untilTaken(() => queue.announce('descargas', topic, soon())),
      wake: (wakeUps: readonly WakeUp[], descargas = 1) => untilTaken(() => queue.wake(wakeUps, soon(), { descargas })),
    };
  };
  const consume = (options: Partial<Parameters<typeof createConsumer>[1]> = {}) => {
    const heard: string[] = [];
    const consumer = createConsumer(
      { url: url(), namespace },
      {
        queue: 'descargas',
        concurrency: 10,
        handle: async ({ solicitudId, gen }) => void heard.push(`${solicitudId} ${gen}`),
        onError: () => {},
        ...options,
      },
    );
    closing.push(() => consumer.close(0));
    return { consumer, heard };
  };
  const heardAll = (heard: readonly string[], n: number) =>
    waitFor(async () => (new Set(heard).size >= n ? heard : null));

  it('brings each wake-up to its own queue, with its generation', async () => {
    const queue = openQueue();
    const [download, assembly] = [wakeUp({ gen: 3 }), wakeUp({ queue: 'ensambles' })];
    await queue.wake([download, assembly]);
    const { heard } = consume();
    const { heard: heardToo } = consume({
      queue: 'ensambles',
      handle: async ({ solicitudId }) => void heardToo.push(solicitudId),
    });
    await heardAll(heard, 1);
    await heardAll(heardToo, 1);
    expect(heard).toEqual([`${download.solicitudId} 3`]);
    expect(heardToo).toEqual([assembly.solicitudId]);
  });

  it('announces a topic to one consumer, beside the wake-ups', async () => {
    const queue = openQueue();
    const topics: string[] = [];
    const onTopic = (topic: string) => void topics.push(topic);
    const [{ heard }] = [consume({ onTopic }), consume({ onTopic })];
    await queue.announce('conexiones');
    await waitFor(async () => topics[0] ?? null);
    // A second delivery of the first would come before the third job.
    await queue.announce('otro');
    await waitFor(async () => topics[1] ?? null);
    expect([topics, heard]).toEqual([['conexiones', 'otro'], []]);
  });

  it('takes 1,000 wake-ups at once and loses none', async () => {
    const wakeUps = Array.from({ length: 1_000 }, () => wakeUp());
    await openQueue().wake(wakeUps);
    const { heard } = consume({ concurrency: 50 });
    await heardAll(heard, 1_000);
    expect(new Set(heard)).toEqual(new Set(wakeUps.map(({ solicitudId }) => `${solicitudId} 1`)));
    expect(heard).toHaveLength(1_000);
  });

  it('is over with a job when its members have begun: 4 jobs of 10 are worked on at the same time', async () => {
    const { promise: gate, open } = gateway();
    const { consumer, heard } = consume({
      concurrency: 40,
      handle: async ({ solicitudId }, _signal, begun) => {
        heard.push(solicitudId);
        begun();
        await gate;
      },
    });
    const wakeUps = Array.from({ length: 40 }, () => wakeUp());
    await openQueue().wake(wakeUps, 10);
    await heardAll(heard, 40);
    expect(consumer.running()).toBe(40);
    open();
    await consumer.close(DEADLINE_MS);
    expect(heard.toSorted()).toEqual(wakeUps.map(({ solicitudId }) => solicitudId).toSorted());
  });

  it('warns of no leak while many members of a job wait for a slot', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    closing.push(async () => process.off('warning', note));
    const { heard } = consume({ concurrency: 20, handle: async ({ solicitudId }) => void heard.push(solicitudId) });
    await openQueue().wake(
      Array.from({ length: 60 }, () => wakeUp()),
      60,
    );
    await heardAll(heard, 60);
    expect(warnings).toEqual([]);
  });

  it('works on no more members of a job than it has slots', async () => {
    let most = 0;
    const { consumer, heard } = consume({
      concurrency: 2,
      handle: async ({ solicitudId }) => {
        most = Math.max(most, consumer.running() + 1);
        await new Promise(setImmediate);
        heard.push(solicitudId);
      },
    });
    await openQueue().wake(
      Array.from({ length: 9 }, () => wakeUp()),
      9,
    );
    await heardAll(heard, 9);
    expect([heard.length, most]).toEqual([9, 2]);
  });

  it('brings a job again of which a member was not begun, and tells of it once', async () => {
    const [away, begun] = [wakeUp(), wakeUp()];
    const errors: unknown[] = [];
    let isAway = true;
    const { consumer, heard } = consume({
      onError: (error) => errors.push(error),
      handle: async ({ solicitudId }) => {
        if (isAway && solicitudId === away.solicitudId) throw new NotBegun(new Error('no database'));
        heard.push(solicitudId);
      },
    });
    await openQueue().wake([begun, away], 2);
    await waitFor(async () => consumer.isPaused() || null);
    isAway = false;
    consumer.resume();
    await waitFor(async () => heard.includes(away.solicitudId) || null);
    expect(new Set(heard)).toEqual(new Set([begun.solicitudId, away.solicitudId]));
    expect(errors.map(String)).toEqual(['NotBegun: a member of a job was not begun']);
  });

  it('takes a job of the version before, which carries one wake-up', async () => {
    const connection = connectTo(url(), { max: 2, redis: {} });
    const bull = connection.queue(queueName({ url: url(), namespace }, 'descargas'), {});
    closing.push(() => connection.discard(bull));
    await bull.add('timbre', { solicitud_id: 'old', gen: 7 });
    const { consumer, heard } = consume();
    await heardAll(heard, 1);
    expect([heard, consumer.isPaused()]).toEqual([['old 7'], false]);
  });

  it('wakes once for equal wake-ups', async () => {
    const queue = openQueue();
    const [twice, last] = [wakeUp(), wakeUp()];
    await queue.wake([twice]);
    await queue.wake([twice, last]);
    const { heard } = consume({ concurrency: 1 });
    await waitFor(async () => heard.includes(`${last.solicitudId} 1`) || null);
    expect(heard).toEqual([`${twice.solicitudId} 1`, `${last.solicitudId} 1`]);
  });

  it('takes the same are woken again after it was answered', async () => {
    const queue = openQueue();
    const again = wakeUp();
    const { consumer, heard } = consume();
    await queue.wake([again]);
    await heardAll(heard, 1);
    await waitFor(async () => consumer.running() === 0 || null);
    // The server forgets an answered wake-up a moment after its handler has ended.
    await waitFor(async () => {
      await queue.wake([again]);
      return heard.length > 1 || null;
    });
    expect(new Set(heard).size).toBe(1);
  });

  it('goes on after a wake-up whose work failed, and tells of the failure', async () => {
    const errors: unknown[] = [];
    const heard: string[] = [];
    const failure = new Error('of the work');
    consume({
      onError: (error) => errors.push(error),
      handle: async ({ solicitudId }) => {
        heard.push(solicitudId);
        if (heard.length === 1) throw failure;
      },
    });
    const queue = openQueue();
    await queue.wake([wakeUp()]);
    await heardAll(heard, 1);
    await queue.wake([wakeUp()]);
    await heardAll(heard, 2);
    expect(errors).toContain(failure);
    expect(heard).toHaveLength(2);
  });

  it('goes on after the consumer was made anew in the middle of its work', async () => {
    const queue = openQueue();
    const { promise: gate, open } = gateway();
    const heard: string[] = [];
    const { consumer } = consume({
      concurrency: 2,
      handle: async ({ solicitudId }) => {
        heard.push(solicitudId);
        if (heard.length === 1) await gate;
      },
    });
    await queue.wake([wakeUp()]);
    await heardAll(heard, 1);
    await consumer.rebuild();
    await queue.wake([wakeUp(), wakeUp()]);
    await heardAll(heard, 3);
    open();
    await waitFor(async () => consumer.running() === 0 || null);
  });

  it('waits for the running work at the end, and takes no more', async () => {
    const queue = openQueue();
    const { promise: gate, open } = gateway();
    const { consumer, heard } = consume({
      concurrency: 1,
      handle: async ({ solicitudId }, signal) => {
        heard.push(solicitudId);
        await gate;
        heard.push(signal.aborted ? 'aborted' : 'done');
      },
    });
    await queue.wake([wakeUp(), wakeUp()]);
    await heardAll(heard, 1);
    const closed = consumer.close(60_000);
    open();
    await closed;
    expect(heard.slice(1)).toEqual(['done']);
    expect(consumer.running()).toBe(0);
  });

  it('aborts at the end what takes too long', async () => {
    const { consumer, heard } = consume({
      handle: ({ solicitudId }, signal) =>
        new Promise((resolve) => {
          heard.push(solicitudId);
          signal.addEventListener('abort', () => resolve());
        }),
    });
    await openQueue().wake([wakeUp()]);
    await heardAll(heard, 1);
    await consumer.close(10);
    expect(consumer.running()).toBe(0);
  });
});

function gateway() {
  let open: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}
