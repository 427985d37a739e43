import type { FinishedCall } from '@acuse/operation';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRegistro } from './registro.ts';

const call = (requestId: string): FinishedCall => ({
  contribuyenteId: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  at: new Date(0),
  opId: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e20',
  operacion: 'uso/consultar',
  status: 200,
  codigo: 1,
  ms: 1,
  requestId,
  idempotencyKey: null,
});

/** A registry over a database that is away while `isAway`. */
function start() {
  const state = { isAway: false, lots: [] as string[][], told: [] as unknown[] };
  const note = async (calls: readonly FinishedCall[]) => {
    if (state.isAway) throw new Error('the database is away');
    state.lots.push(calls.map(({ requestId }) => requestId));
  };
  const registro = createRegistro(
    { note },
    { warn: ({ err: _, ...fields }, event) => void state.told.push([event, fields]) },
  );
  const noteMany = (count: number) => {
    for (let n = 0; n < count; n += 1) registro.note(call(String(n)));
  };
  return { registro, state, noteMany };
}

describe('the log of calls', () => {
  it('writes waiting lines in lots, the last one when the process ends', async () => {
    const { registro, state, noteMany } = start();
    noteMany(2_001);
    expect(state.lots.length).toBeLessThan(2);
    await registro.close();
    expect(state.lots.map(({ length }) => length)).toEqual([1_000, 1_000, 1]);
    expect(state.told).toEqual([]);
  });

  it('keeps lines while the database is away', async () => {
    const { registro, state, noteMany } = start();
    state.isAway = true;
    noteMany(1_000);
    await new Promise(setImmediate);
    expect(state.told).toEqual([['calls_not_recorded', { waiting: 1_000, lost: 0 }]]);
    state.isAway = false;
    noteMany(1);
    await registro.close();
    expect(state.lots.flat()).toHaveLength(1_001);
  });

  it('writes a lot that failed again as it was, without later lines', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { registro, state, noteMany } = start();
    state.isAway = true;
    noteMany(5);
    await vi.advanceTimersByTimeAsync(1_000);
    state.isAway = false;
    noteMany(3);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state.lots.map(({ length }) => length)).toEqual([5, 3]);
    await registro.close();
  });

  it('logs how many it lost: beyond 10,000, and those that wait when the process ends', async () => {
    const { registro, state, noteMany } = start();
    state.isAway = true;
    noteMany(10_007);
    await registro.close();
    const lost = state.told.map((line) => (line as [string, { lost: number }])[1].lost);
    expect(lost.filter((n) => n > 0)).toEqual([7, 10_000]);
  });
});
