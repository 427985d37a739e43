import { expect, test } from 'vitest';
import { createTokenBucket } from './token-bucket.ts';

test('gives the burst at once, then the rate, and tells what remains', () => {
  let now = 1_000;
  const bucket = createTokenBucket({ perSecond: 50, burst: 100, nowMs: () => now });
  const first = bucket.take('a');
  expect(first).toEqual({ allowed: true, remaining: 99, resetSeconds: 1, retryAfterSeconds: 0 });
  for (let count = 1; count < 100; count += 1) expect(bucket.take('a').allowed).toBe(true);
  expect(bucket.take('a')).toEqual({ allowed: false, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 });

  now += 20;
  expect(bucket.take('a').allowed).toBe(true);
  expect(bucket.take('a').allowed).toBe(false);
  now += 1_000;
  const passed = Array.from({ length: 60 }, () => bucket.take('a')).filter(({ allowed }) => allowed);
  expect(passed).toHaveLength(50);
});

test('is exact at every instant of a clock with fractions', () => {
  let now = 0;
  const bucket = createTokenBucket({ perSecond: 0.001, burst: 3, nowMs: () => now });
  for (now = 1_000.000_1; now < 3_000; now += 0.777_7) {
    const taken = Array.from({ length: 4 }, () => bucket.take(String(now)));
    expect([now, ...taken.map(({ allowed, remaining }) => [allowed, remaining])]).toEqual([
      now,
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
    expect(taken[0]?.resetSeconds).toBe(1_000);
  }
});

test('counts every key by itself', () => {
  const bucket = createTokenBucket({ perSecond: 1, burst: 1, nowMs: () => 0 });
  expect(bucket.take('a').allowed).toBe(true);
  expect(bucket.take('a').allowed).toBe(false);
  expect(bucket.take('b').allowed).toBe(true);
});

test('a refused request does not lengthen the wait', () => {
  let now = 0;
  const bucket = createTokenBucket({ perSecond: 1, burst: 1, nowMs: () => now });
  bucket.take('a');
  for (let count = 0; count < 100; count += 1) bucket.take('a');
  now = 1_000;
  expect(bucket.take('a').allowed).toBe(true);
});

test('holds 100,000 keys at most and forgets the count of the key that asked longest ago', () => {
  const bucket = createTokenBucket({ perSecond: 1, burst: 1, nowMs: () => 0 });
  bucket.take('first');
  expect(bucket.take('first').allowed).toBe(false);
  for (let other = 0; other < 99_999; other += 1) bucket.take(String(other));
  expect(bucket.take('first').allowed).toBe(false);
  for (let other = 0; other < 100_000; other += 1) bucket.take(`${other}b`);
  expect(bucket.take('first').allowed).toBe(true);
});
