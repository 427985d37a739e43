import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { DeadlineError, deadline, linkSignals } from './abort.ts';

const LONG_MS = 60_000;
const aborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

describe('linkSignals', () => {
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
});

const never = () => new Promise<never>(() => {});

describe('deadline', () => {
  test('gives what the operation gives, and what it throws', async () => {
    await expect(deadline(60_000, async () => 7)).resolves.toBe(7);
    await expect(deadline(60_000, async () => Promise.reject(new TypeError('mine')))).rejects.toThrow(TypeError);
  });

  test('rejects an operation that does not end, and aborts its signal with the same error', async () => {
    let seen: AbortSignal | undefined;
    const failure = await deadline(5, (signal) => {
      seen = signal;
      return never();
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DeadlineError);
    expect(failure).toMatchObject({ code: 'DEADLINE_EXCEEDED', timeoutMs: 5 });
    expect(seen?.reason).toBe(failure);
  });

  test("rejects with the parent's reason, before and during, and leaves no listener behind", async () => {
    const parent = new AbortController();
    await expect(deadline(60_000, async () => 1, parent.signal)).resolves.toBe(1);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0);
    const running = deadline(60_000, never, parent.signal);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    parent.abort(new Error('closing'));
    await expect(running).rejects.toThrow('closing');
    await expect(deadline(60_000, async () => 1, parent.signal)).rejects.toThrow('closing');
  });

  test('an operation that fails after its time is over is not an unhandled rejection', async () => {
    let fail = () => {};
    const late = new Promise<never>((_, reject) => {
      fail = () => reject(new Error('late'));
    });
    await expect(deadline(1, () => late)).rejects.toBeInstanceOf(DeadlineError);
    fail();
    await expect(late).rejects.toThrow('late');
  });
});
