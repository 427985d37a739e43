import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoff } from './backoff.ts';

describe('backoff', () => {
  test('doubles up to the cap', () => {
    const waits = [1, 2, 3, 4, 5, 500].map((attempt) =>
      backoff(attempt, { baseMs: 100, capMs: 1_000, jitter: 0 }),
    );
    expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  test('jitter shortens the wait by the asked part and no more', () => {
    const options = { baseMs: 1_000, capMs: 1_000, jitter: 0.4 };
    expect(backoff(1, { ...options, random: () => 0 })).toBe(1_000);
    expect(backoff(1, { ...options, random: () => 0.5 })).toBe(800);
    expect(backoff(1, { ...options, random: () => 0.999_999 })).toBe(600);
  });

  test('is never negative, never over the cap, whatever the attempt', () => {
    const number = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    fc.assert(
      fc.property(fc.integer({ min: -3, max: 5_000 }), number, number, (attempt, jitter, chance) => {
        const wait = backoff(attempt, { baseMs: 50, capMs: 60_000, jitter, random: () => chance });
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(60_000);
      }),
    );
  });
});
