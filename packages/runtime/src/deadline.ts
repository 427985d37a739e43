/** An operation did not end within its time. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  readonly code = 'DEADLINE_EXCEEDED';
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`did not end within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/**
 * Runs an operation with a limit of `timeoutMs` milliseconds. The signal it is given aborts when the time is over (reason: the
 * DeadlineError) or when `parent` aborts; the returned promise rejects at that moment even if the operation ignores it.
 * @throws DeadlineError, the parent's reason, or what the operation throws.
 */
export async function deadline<T>(
  timeoutMs: number,
  operation: (signal: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  parent?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DeadlineError(timeoutMs)), timeoutMs);
  const forward = () => controller.abort(parent?.reason);
  parent?.addEventListener('abort', forward, { once: true });
  const interrupted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  try {
    return await Promise.race([operation(controller.signal), interrupted]);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', forward);
  }
}
