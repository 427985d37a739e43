import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { deadline } from './deadline.ts';
import { DeadlineError } from './deadline-error.ts';

const never = () => new Promise<never>(() => {});

describe('deadline', () => {
  test('gives what the operation gives, and what it throws', async () => {
    await expect(deadline(60_000, async () => 7)).resolves.toBe(7);
    await expect(deadline(60_000, async () => Promise.reject(new TypeError('mine')))).rejects.toThrow(
      TypeError,
    );
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
