import { describe, expect, it } from 'vitest';
import { CUBETAS, cubetaDe, percentile } from './histograma.ts';

const histogram = (latencias: readonly number[]) => {
  const cubetas = new Array<number>(CUBETAS).fill(0);
  for (const ms of latencias) cubetas[cubetaDe(ms)] = (cubetas[cubetaDe(ms)] ?? 0) + 1;
  return cubetas;
};

describe('a histogram of latencies', () => {
  it('gives percentiles within the width of its elements', () => {
    const latencias = Array.from({ length: 5_000 }, (_, n) => 1 + ((n * 7_919) % 5_000));
    const sorted = [...latencias].sort((a, b) => a - b);
    for (const p of [0.01, 0.5, 0.95, 0.99]) {
      const exact = sorted[Math.ceil(p * sorted.length) - 1] ?? 0;
      const estimate = percentile(histogram(latencias), p) ?? 0;
      expect(Math.max(estimate / exact, exact / estimate)).toBeLessThan(Math.SQRT2 + 0.001);
    }
  });

  it.each([
    [0, 0],
    [-1, 0],
    [Number.NaN, 0],
    [1, 0],
    [1.1, 1],
    [2, 2],
    [1_000, 20],
    [1e12, CUBETAS - 1],
  ])('puts %d ms into element %i', (ms, indice) => {
    expect(cubetaDe(ms)).toBe(indice);
  });

  it('that counts nothing has no percentiles', () => {
    expect(percentile(histogram([]), 0.5)).toBeNull();
    expect(percentile([], 0.5)).toBeNull();
  });
});
