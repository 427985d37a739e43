import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextIntento } from './reintentos.ts';

const intervalos = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800];

it('tries eleven times within a day, each interval longer than the one before but for a fifth by chance', () => {
  const waits = (random: () => number) => {
    const all: number[] = [];
    for (let intentos = 1; ; intentos += 1) {
      const wait = nextIntento({ intentos, intervalos, random });
      if (wait === null) return all;
      all.push(wait);
    }
  };
  expect(waits(() => 0)).toEqual(intervalos);
  expect(waits(() => 1)).toEqual(intervalos.map((each) => each * 0.8));
  expect(waits(() => 0).reduce((sum, each) => sum + each)).toBeLessThanOrEqual(86_400);
});

it('waits for what Retry-After asks, but never beyond the intervals that are left', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 0, max: 1e9 }), (intentos, retryAfter) => {
      const wait = nextIntento({ intentos, intervalos, retryAfter }) ?? Number.NaN;
      const left = intervalos.slice(intentos - 1).reduce((sum, each) => sum + each, 0);
      expect(wait).toBeLessThanOrEqual(left);
      expect(wait).toBeGreaterThanOrEqual(Math.min(retryAfter, left));
    }),
  );
});
