import { setMaxListeners } from 'node:events';

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

export interface LinkedSignal {
  /** Aborts with a parent, for its reason, or when the time is over, for a {@link DeadlineError}. */
  readonly signal: AbortSignal;
  /** Ends the link: the signal aborts no more, and its parents know nothing of it. */
  release(): void;
}

/**
 * Makes a signal that lives as long as one piece of work, from signals that may live as long as the process, and a
 * limit in milliseconds, if the work has one. Not `AbortSignal.any`: in Node 20 a long-lived parent keeps a note of
 * every signal ever made of it.
 */
export function linkSignals(parents: readonly AbortSignal[], timeoutMs?: number): LinkedSignal {
  const controller = new AbortController();
  const links = parents.map((parent) => ({ parent, end: () => controller.abort(parent.reason) }));
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(new DeadlineError(timeoutMs)), timeoutMs);
  // Each link ends with its work, so many links at once mean much work, not a leak that deserves a warning.
  setMaxListeners(0, controller.signal, ...parents);
  for (const { parent, end } of links) {
    if (parent.aborted) end();
    else parent.addEventListener('abort', end, { once: true });
  }
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      for (const { parent, end } of links) parent.removeEventListener('abort', end);
    },
  };
}

/**
 * What `run` gives or throws, but the reason of `signal` as soon as that aborts; `run` is not called when it has.
 * Leaves nothing with the signal.
 */
export async function untilAborted<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([run(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Runs an operation with a limit of `timeoutMs` milliseconds. The signal it is given aborts when the time is over
 * (reason: a `DeadlineError`) or when `parent` aborts; the returned promise rejects at that moment even if the
 * operation ignores it.
 * @throws DeadlineError, the parent's reason, or what the operation throws.
 */
export async function deadline<T>(
  timeoutMs: number,
  operation: (signal: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  const { signal, release } = linkSignals(parent === undefined ? [] : [parent], timeoutMs);
  try {
    return await untilAborted(() => operation(signal), signal);
  } finally {
    release();
  }
}
