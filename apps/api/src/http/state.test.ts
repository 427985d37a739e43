import { silentLogger } from '@acuse/runtime';
import { describe, expect, it, vi } from 'vitest';
import { createReembolsos } from './settle.ts';
import { createUsos } from './state.ts';

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
