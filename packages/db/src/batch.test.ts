import { EventEmitter, once } from 'node:events';
import { ResultadoIncierto } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { createBatch } from './batch.ts';

interface Item {
  readonly id: number;
  readonly group: string;
}

const okOf = ({ id }: Item) => `ok ${id}`;

/** Lots whose statements wait until they are let go; `lots` tells what each was given. */
function setUp(answer: (item: Item) => string = okOf, { patienceMs = 60_000, slowMs = 60_000 } = {}) {
  const lots: number[][] = [];
  const waiting: (() => void)[] = [];
  const begun = new EventEmitter();
  const accept = createBatch<Item, string>({
    groupOf: ({ group }) => group,
    patienceMs,
    slowMs,
    async run(items) {
      lots.push(items.map(({ id }) => id));
      begun.emit('lot');
      await new Promise<void>((resolve) => waiting.push(resolve));
      return items.map(answer);
    },
  });
  const letGo = async () => {
    await turn();
    while (waiting.length > 0) {
      waiting.shift()?.();
      await turn();
    }
  };
  /** Each in a turn of its own: the first goes alone. */
  const acceptInTurns = async (all: readonly Item[]) => {
    const results: Promise<string>[] = [];
    for (const item of all) {
      results.push(accept(item));
      await turn();
    }
    return { results };
  };
  return { accept, acceptInTurns, lots, letGo, nextLot: () => once(begun, 'lot') };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

const items = (count: number, group = (id: number) => `g${id}`) =>
  Array.from({ length: count }, (_, id) => ({ id, group: group(id) }));

describe('a batch', () => {
  it('sends in its turn what comes alone, and joins what comes while that is on its way', async () => {
    const { acceptInTurns, lots, letGo } = setUp();
    const { results } = await acceptInTurns(items(10));
    expect(lots).toEqual([[0]]);
    await letGo();
    expect(await Promise.all(results)).toEqual(items(10).map(okOf));
    expect(lots).toEqual([[0], [1, 2, 3, 4, 5, 6, 7, 8, 9]]);
  });

  it('sends past a lot that is slow, and past a second one, and waits behind three', async () => {
    const { accept, acceptInTurns, lots, letGo, nextLot } = setUp(okOf, { slowMs: 1 });
    const all: Promise<string>[] = [];
    for (const item of items(3)) {
      const lot = nextLot();
      all.push(accept(item));
      await lot;
    }
    expect(lots).toEqual([[0], [1], [2]]);
    const late = items(5).slice(3);
    all.push(...(await acceptInTurns(late)).results);
    expect(lots).toEqual([[0], [1], [2]]);
    await letGo();
    expect(await Promise.all(all)).toEqual(items(5).map(okOf));
    expect(lots).toEqual([[0], [1], [2], [3, 4]]);
  });

  it('joins what comes in one turn, up to 64', async () => {
    const { accept, lots, letGo } = setUp();
    const results = Promise.all(items(70).map(accept));
    await letGo();
    expect(await results).toEqual(items(70).map(okOf));
    expect(lots.map((lot) => lot.length)).toEqual([64, 6]);
  });

  it('never joins two of one group', async () => {
    const { accept, lots, letGo } = setUp();
    const results = Promise.all(items(9, () => 'same').map(accept));
    await letGo();
    await results;
    expect(lots.every((lot) => lot.length === 1)).toBe(true);
    expect(lots.flat().sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('runs the items of a failed lot one by one, so that only the guilty one fails', async () => {
    const { acceptInTurns, lots, letGo } = setUp(({ id }) => {
      if (id === 5) throw new Error('guilty');
      return `ok ${id}`;
    });
    const { results } = await acceptInTurns(items(8));
    const all = Promise.allSettled(results);
    await letGo();
    const settled = await all;
    expect(settled.flatMap(({ status }, id) => (status === 'rejected' ? [id] : []))).toEqual([5]);
    expect(lots).toContainEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(lots).toContainEqual([5]);
  });

  it('withdraws what could not be sent in time: it rejects, and is not carried out when there is room again', async () => {
    const { accept, acceptInTurns, lots, letGo } = setUp(okOf, { patienceMs: 20 });
    const { results } = await acceptInTurns(items(1));
    const sent = Promise.all(results);
    await expect(accept({ id: 1, group: 'late' })).rejects.toThrow('not sent within 20 ms');
    await letGo();
    expect(await sent).toEqual(['ok 0']);
    expect(lots).toEqual([[0]]);
  });

  it('repeats no item of a lot with an unknown outcome', async () => {
    const { acceptInTurns, lots, letGo } = setUp(({ id }) => {
      if (id === 4) throw new ResultadoIncierto({ cause: new Error('cut') });
      return `ok ${id}`;
    });
    const { results } = await acceptInTurns(items(6));
    const all = Promise.allSettled(results);
    await letGo();
    expect((await all).map((one) => one.status === 'rejected' && one.reason)).toEqual([
      false,
      ...Array(5).fill(expect.any(ResultadoIncierto)),
    ]);
    expect(lots).toEqual([[0], [1, 2, 3, 4, 5]]);
  });
});
