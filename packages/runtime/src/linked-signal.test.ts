import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { linkSignals } from './linked-signal.ts';

const LONG_MS = 60_000;
const aborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

test('aborts with whichever parent aborts, for its reason', async () => {
  const parents = [new AbortController(), new AbortController()];
  const { signal, release } = linkSignals(
    parents.map((parent) => parent.signal),
    LONG_MS,
  );
  const reason = aborted(signal);
  parents[1]?.abort('second');
  expect([await reason, signal.aborted]).toEqual(['second', true]);
  release();
});

test('is aborted from the start when a parent is', () => {
  const { signal, release } = linkSignals([AbortSignal.abort('before')], LONG_MS);
  expect([signal.aborted, signal.reason]).toEqual([true, 'before']);
  release();
});

test('aborts when its time is over', async () => {
  const { signal } = linkSignals([], 1);
  expect(await aborted(signal)).toMatchObject({ code: 'DEADLINE_EXCEEDED', timeoutMs: 1 });
});

test('leaves nothing with its parents, and does not abort, once released', () => {
  const parent = new AbortController();
  const { signal, release } = linkSignals([parent.signal], LONG_MS);
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
  release();
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0);
  parent.abort();
  expect(signal.aborted).toBe(false);
});
