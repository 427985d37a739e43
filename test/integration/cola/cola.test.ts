import { randomBytes, randomUUID } from 'node:crypto';
import type { Timbre } from '@acuse/core';
import { createCola, createConsumidor } from '@acuse/queue';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { untilTaken } from '../fixtures/cola.ts';
import { testDatabase } from '../fixtures/database.ts';
import { onEachDriver } from '../fixtures/drivers.ts';
import { waitFor } from '../fixtures/servicio.ts';

const DEADLINE_MS = 20_000;
const soon = () => AbortSignal.timeout(DEADLINE_MS);
const timbre = (options: Partial<Timbre> = {}): Timbre => ({
  solicitudId: randomUUID(),
  gen: 1,
  cola: 'descargas',
  ...options,
});

onEachDriver('the doorbell', (redisUrl) => {
  let url: string;
  let namespace: string;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    if (redisUrl !== undefined) {
      url = redisUrl;
      return;
    }
    const database = await testDatabase();
    url = database.url;
    return () => database.close();
  });
  beforeEach(() => {
    namespace = `t-${randomBytes(6).toString('hex')}`;
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const openCola = () => {
    const cola = createCola({ url, namespace });
    closing.push(() => cola.close());
    return { ring: (timbres: readonly Timbre[]) => untilTaken(() => cola.ring(timbres, soon())) };
  };
  const consume = (options: Partial<Parameters<typeof createConsumidor>[1]> = {}) => {
    const heard: string[] = [];
    const consumidor = createConsumidor(
      { url, namespace },
      {
        cola: 'descargas',
        concurrency: 10,
        handle: async ({ solicitudId, gen }) => void heard.push(`${solicitudId} ${gen}`),
        onError: () => {},
        ...options,
      },
    );
    closing.push(() => consumidor.close(0));
    return { consumidor, heard };
  };
  const heardAll = (heard: readonly string[], n: number) =>
    waitFor(async () => (new Set(heard).size >= n ? heard : null));

  it('brings each ring to its own queue, with its generation', async () => {
    const cola = openCola();
    const [download, assembly] = [timbre({ gen: 3 }), timbre({ cola: 'ensambles' })];
    await cola.ring([download, assembly]);
    const { heard } = consume();
    const { heard: heardToo } = consume({
      cola: 'ensambles',
      handle: async ({ solicitudId }) => void heardToo.push(solicitudId),
    });
    await heardAll(heard, 1);
    await heardAll(heardToo, 1);
    expect(heard).toEqual([`${download.solicitudId} 3`]);
    expect(heardToo).toEqual([assembly.solicitudId]);
  });

  it('takes 1,000 rings at once and loses none', async () => {
    const timbres = Array.from({ length: 1_000 }, () => timbre());
    await openCola().ring(timbres);
    const { heard } = consume({ concurrency: 50 });
    await heardAll(heard, 1_000);
    expect(new Set(heard)).toEqual(new Set(timbres.map(({ solicitudId }) => `${solicitudId} 1`)));
    expect(heard).toHaveLength(1_000);
  });

  it('rings once for what is rung twice before anybody came', async () => {
    const cola = openCola();
    const [twice, last] = [timbre(), timbre()];
    await cola.ring([twice]);
    await cola.ring([twice, last]);
    const { heard } = consume({ concurrency: 1 });
    await waitFor(async () => heard.includes(`${last.solicitudId} 1`) || null);
    expect(heard).toEqual([`${twice.solicitudId} 1`, `${last.solicitudId} 1`]);
  });

  it('takes the same ring again after it was answered', async () => {
    const cola = openCola();
    const again = timbre();
    const { consumidor, heard } = consume();
    await cola.ring([again]);
    await heardAll(heard, 1);
    await waitFor(async () => consumidor.running() === 0 || null);
    // The server forgets an answered ring a moment after its handler has ended.
    await waitFor(async () => {
      await cola.ring([again]);
      return heard.length > 1 || null;
    });
    expect(new Set(heard).size).toBe(1);
  });

  it('goes on after a ring whose work failed, and tells of the failure', async () => {
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
    const cola = openCola();
    await cola.ring([timbre()]);
    await heardAll(heard, 1);
    await cola.ring([timbre()]);
    await heardAll(heard, 2);
    expect(errors).toContain(failure);
    expect(heard).toHaveLength(2);
  });

  it('goes on after the consumer was made anew in the middle of its work', async () => {
    const cola = openCola();
    const { promise: gate, open } = gateway();
    const heard: string[] = [];
    const { consumidor } = consume({
      concurrency: 2,
      handle: async ({ solicitudId }) => {
        heard.push(solicitudId);
        if (heard.length === 1) await gate;
      },
    });
    await cola.ring([timbre()]);
    await heardAll(heard, 1);
    await consumidor.rebuild();
    await cola.ring([timbre(), timbre()]);
    await heardAll(heard, 3);
    open();
    await waitFor(async () => consumidor.running() === 0 || null);
  });

  it('waits for the running work at the end, and takes no more', async () => {
    const cola = openCola();
    const { promise: gate, open } = gateway();
    const { consumidor, heard } = consume({
      concurrency: 1,
      handle: async ({ solicitudId }, signal) => {
        heard.push(solicitudId);
        await gate;
        heard.push(signal.aborted ? 'aborted' : 'done');
      },
    });
    await cola.ring([timbre(), timbre()]);
    await heardAll(heard, 1);
    const closed = consumidor.close(60_000);
    open();
    await closed;
    expect(heard.slice(1)).toEqual(['done']);
    expect(consumidor.running()).toBe(0);
  });

  it('aborts at the end what takes too long', async () => {
    const { consumidor, heard } = consume({
      handle: ({ solicitudId }, signal) =>
        new Promise((resolve) => {
          heard.push(solicitudId);
          signal.addEventListener('abort', () => resolve());
        }),
    });
    await openCola().ring([timbre()]);
    await heardAll(heard, 1);
    await consumidor.close(10);
    expect(consumidor.running()).toBe(0);
  });
});

function gateway() {
  let open: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}
