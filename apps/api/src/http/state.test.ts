import { silentLogger } from '@acuse/runtime';
import { describe, expect, it, test, vi } from 'vitest';
import { createReembolsos } from './settle.ts';
import { createTokenBucket, createUsos, createWake } from './state.ts';

const log = silentLogger;

describe('last uses', () => {
  it('are written in one batch with one entry a key, the latest', async () => {
    const noteUse = vi.fn(async () => {});
    const usos = createUsos({ accessSnapshots: { noteUse, rehash: async () => {} }, everyMs: 60_000, log });
    usos.note('a', new Date(1), '192.0.2.1');
    usos.note('a', new Date(2), '192.0.2.2');
    usos.note('b', new Date(3), '192.0.2.3');
    await usos.close();
    expect(noteUse).toHaveBeenCalledExactlyOnceWith([
      { apiKeyId: 'a', at: new Date(2), ip: '192.0.2.2' },
      { apiKeyId: 'b', at: new Date(3), ip: '192.0.2.3' },
    ]);
  });

  it('are lost quietly when the database is away', async () => {
    const usos = createUsos({
      accessSnapshots: { noteUse: () => Promise.reject(new Error('away')), rehash: async () => {} },
      everyMs: 60_000,
      log,
    });
    usos.note('a', new Date(1), '192.0.2.1');
    await expect(usos.flush()).resolves.toBeUndefined();
  });

  it('are written by the timer', async () => {
    const noteUse = vi.fn(async () => {});
    const usos = createUsos({ accessSnapshots: { noteUse, rehash: async () => {} }, everyMs: 1, log });
    usos.note('a', new Date(1), '192.0.2.1');
    await expect.poll(() => noteUse.mock.calls.length).toBe(1);
    await usos.close();
  });
});

describe('waking the relay', () => {
  it('sends at once, then once for any number of calls, and never leaves the last unsent', async () => {
    const send = vi.fn(async () => {});
    const wake = createWake({ send, everyMs: 5, log });
    for (let call = 0; call < 100; call += 1) wake();
    expect(send).toHaveBeenCalledTimes(1);
    await expect.poll(() => send.mock.calls.length).toBe(2);
  });

  it('does not care about failures', () => {
    const wake = createWake({ send: () => Promise.reject(new Error('away')), everyMs: 1, log });
    expect(() => wake()).not.toThrow();
  });
});

describe('refunds', () => {
  it('goes on in the background until the database answers', async () => {
    const refund = vi.fn(async () => {
      if (refund.mock.calls.length < 3) throw new Error('away');
      return true;
    });
    const saldos = { undo: async () => true, refund };
    const reembolsos = createReembolsos({ saldos, log, delaysMs: [1, 1, 1] });
    await reembolsos.refund('op', 'detalle');
    expect(reembolsos.pending).toBe(1);
    await expect.poll(() => reembolsos.pending).toBe(0);
    expect(refund).toHaveBeenCalledTimes(3);
  });

  it('looks more than once for a charge whose outcome is unknown', async () => {
    const answers = [false, false, true];
    let calls = 0;
    const saldos = { undo: async () => true, refund: async () => answers[calls++] ?? false };
    const reembolsos = createReembolsos({ saldos, log, delaysMs: [1, 1, 1, 1] });
    reembolsos.refundIfCharged('op', 'detalle');
    await expect.poll(() => reembolsos.pending).toBe(0);
    expect(calls).toBe(3);
  });

  it('tries open refunds once more at shutdown', async () => {
    const refund = vi.fn(async (_opId: string) => true);
    const saldos = { undo: async () => true, refund };
    const reembolsos = createReembolsos({ saldos, log, delaysMs: [60_000] });
    reembolsos.refundIfCharged('a', 'detalle');
    reembolsos.refundIfCharged('b', 'detalle');
    await reembolsos.close();
    expect(refund.mock.calls.map(([opId]) => opId)).toEqual(['a', 'b']);
    expect(reembolsos.pending).toBe(0);
  });
});

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
