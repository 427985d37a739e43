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

test('without a limit, aborts only with its parents', () => {
  const parent = new AbortController();
  const { signal, release } = linkSignals([parent.signal]);
  expect(signal.aborted).toBe(false);
  parent.abort('parent');
  expect(signal.reason).toBe('parent');
  release();
});

test('many at once of one parent warn of nothing', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on('warning', note);
  const parent = new AbortController();
  const links = Array.from({ length: 50 }, () => linkSignals([parent.signal]));
  // A warning is given on the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  for (const { release } of links) release();
  expect(warnings).toEqual([]);
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
