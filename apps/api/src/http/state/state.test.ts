import { silentLogger } from '@acuse/runtime';
import { describe, expect, it, vi } from 'vitest';
import { createReembolsos } from './reembolsos.ts';
import { createUsos } from './usos.ts';
import { createWake } from './wake.ts';

const log = silentLogger;

/** A limit for what never comes, far from how long it takes. */
const PATIENT = { timeout: 20_000 };

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
    let written: (() => void) | undefined;
    const done = new Promise<void>((resolve) => {
      written = resolve;
    });
    const usos = createUsos({
      accessSnapshots: { noteUse: async () => written?.(), rehash: async () => {} },
      everyMs: 1,
      log,
    });
    usos.note('a', new Date(1), '192.0.2.1');
    await done;
    await usos.close();
  });
});

describe('waking the relay', () => {
  it('sends at once, then once for any number of calls, and never leaves the last unsent', async () => {
    const sent: (() => void)[] = [];
    let count = 0;
    const nth = (n: number) =>
      new Promise<void>((resolve) => {
        sent[n] = resolve;
      });
    const [first, second] = [nth(1), nth(2)];
    const wake = createWake({
      send: async () => {
        count += 1;
        sent[count]?.();
      },
      everyMs: 5,
      log,
    });
    for (let call = 0; call < 100; call += 1) wake();
    await first;
    expect(count).toBe(1);
    await second;
    expect(count).toBe(2);
  });

  it('does not care about failures', () => {
    const wake = createWake({ send: () => Promise.reject(new Error('away')), everyMs: 1, log });
    expect(() => wake()).not.toThrow();
  });
});

describe('refunds', () => {
  it('goes on in the background until the database answers', async () => {
    let calls = 0;
    let refunded: (() => void) | undefined;
    const done = new Promise<void>((resolve) => {
      refunded = resolve;
    });
    const saldos = {
      undo: async () => true,
      refund: async () => {
        calls += 1;
        if (calls < 3) throw new Error('away');
        refunded?.();
        return true;
      },
    };
    const reembolsos = createReembolsos({ saldos, log, delaysMs: [1, 1, 1] });
    await reembolsos.refund('op', 'detalle');
    expect(reembolsos.pending).toBe(1);
    await done;
    await expect.poll(() => reembolsos.pending, PATIENT).toBe(0);
  });

  it('looks more than once for a charge whose outcome is unknown', async () => {
    const answers = [false, false, true];
    let calls = 0;
    const saldos = { undo: async () => true, refund: async () => answers[calls++] ?? false };
    const reembolsos = createReembolsos({ saldos, log, delaysMs: [1, 1, 1, 1] });
    reembolsos.refundIfCharged('op', 'detalle');
    await expect.poll(() => reembolsos.pending, PATIENT).toBe(0);
    expect(calls).toBe(3);
  });

  it('tries what is open once more at shutdown', async () => {
    const tried: string[] = [];
    const saldos = {
      undo: async () => true,
      refund: async (opId: string) => {
        tried.push(opId);
        return true;
      },
    };
    const reembolsos = createReembolsos({ saldos, log, delaysMs: [60_000] });
    reembolsos.refundIfCharged('a', 'detalle');
    reembolsos.refundIfCharged('b', 'detalle');
    await reembolsos.close();
    expect(tried).toEqual(['a', 'b']);
    expect(reembolsos.pending).toBe(0);
  });
});
