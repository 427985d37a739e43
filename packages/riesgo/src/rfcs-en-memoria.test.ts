import { createMetrics } from '@acuse/metrics';
import { silentLogger } from '@acuse/runtime';
import { expect, test } from 'vitest';
import { holdRfcsListados } from './rfcs-en-memoria.ts';

const bytesOf = (rfc: string) => Buffer.from(rfc);

/** Lists set by a test, and a holder that reads them on demand. */
function start(lists: { versiones: string; rfcs: string[]; fails?: boolean }) {
  let [looks, loads] = [0, 0];
  let looked = () => {};
  const { metrics } = createMetrics('worker');
  const holder = holdRfcsListados({
    lector: {
      async versiones() {
        looks += 1;
        queueMicrotask(looked);
        return lists.versiones;
      },
      async load(create) {
        loads += 1;
        const { versiones } = lists;
        const rfcs = create(lists.rfcs.length);
        for (const rfc of lists.rfcs) rfcs.add(rfc);
        if (lists.fails) throw new Error('the database is away');
        return { versiones, rfcs };
      },
    },
    log: silentLogger,
    metrics,
    everyMs: 3_600_000,
  });
  return {
    ...holder,
    loads: () => loads,
    /** Looks once more, and waits until the look after it begins: then it is over. */
    async look() {
      for (const wanted of [looks + 1, looks + 2])
        while (looks < wanted) {
          const next = new Promise<void>((resolve) => {
            looked = resolve;
          });
          holder.wake();
          await next;
        }
    },
    knows(rfc: string) {
      const bytes = bytesOf(rfc);
      return holder.current()?.has(bytes, 0, bytes.length) ?? null;
    },
  };
}

test('the RFCs of the lists are read once for each state, and kept while a new read fails', async () => {
  const lists: { versiones: string; rfcs: string[]; fails?: boolean } = { versiones: '', rfcs: [] };
  const { knows, look, loads, close } = start(lists);
  await look();
  expect([knows('PRO010101AB1'), loads()]).toEqual([null, 0]);

  Object.assign(lists, { versiones: '69-B 1', rfcs: ['PRO010101AB1'] });
  await look();
  await look();
  expect([knows('PRO010101AB1'), knows('PRO020202AB2'), loads()]).toEqual([true, false, 1]);

  Object.assign(lists, { versiones: '69-B 2', rfcs: ['PRO020202AB2'], fails: true });
  await look();
  expect([knows('PRO010101AB1'), knows('PRO020202AB2')]).toEqual([true, false]);
  lists.fails = false;
  await look();
  expect([knows('PRO010101AB1'), knows('PRO020202AB2')]).toEqual([false, true]);

  Object.assign(lists, { versiones: '', rfcs: [] });
  await look();
  expect(knows('PRO020202AB2')).toBeNull();
  await close();
});
