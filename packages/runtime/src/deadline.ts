import { linkSignals } from './linked-signal.ts';

/**
 * Runs an operation with a limit of `timeoutMs` milliseconds. The signal it is given aborts when the time is over (reason: a
 * `DeadlineError`) or when `parent` aborts; the returned promise rejects at that moment even if the operation ignores it.
 * @throws DeadlineError, the parent's reason, or what the operation throws.
 */
export async function deadline<T>(
  timeoutMs: number,
  operation: (signal: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  parent?.throwIfAborted();
  const { signal, release } = linkSignals(parent === undefined ? [] : [parent], timeoutMs);
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([operation(signal), interrupted]);
  } finally {
    release();
  }
}
