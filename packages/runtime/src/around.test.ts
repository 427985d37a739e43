import { expect, it } from 'vitest';
import { around, noting } from './around.ts';

const port = {
  rate: 2,
  async double(n: number) {
    if (n < 0) throw new RangeError('negative');
    return n * this.rate;
  },
  async half(n: number) {
    return n / 2;
  },
};

it('runs work around a named method, or around each, with its arguments and its own object', async () => {
  const seen: unknown[] = [];
  const named = around(port, {
    async double(run, n) {
      seen.push(n);
      return (await run()) + 1;
    },
  });
  expect([await named.double(4), await named.half(4), named.rate, seen]).toEqual([9, 2, 2, [4]]);
  expect(String(named)).toBe(String(port));
  const each = around(port, async (run) => {
    seen.push('each');
    return run();
  });
  expect([await each.double(4), await { ...each }.half(4), seen]).toEqual([8, 2, [4, 'each', 'each']]);
});

it('ends a call after its note, and notes no call that rejects', async () => {
  const noted: unknown[] = [];
  const metered = noting(port, {
    async double(result, n) {
      await Promise.resolve();
      noted.push([n, result]);
    },
  });
  expect(await metered.double(4)).toBe(8);
  expect(noted).toEqual([[4, 8]]);
  await expect(metered.double(-1)).rejects.toThrow('negative');
  expect(noted).toHaveLength(1);
});
