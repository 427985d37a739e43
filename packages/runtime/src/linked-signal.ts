import { setMaxListeners } from 'node:events';
import { DeadlineError } from './deadline-error.ts';

export interface LinkedSignal {
  /** Aborts with a parent, for its reason, or when the time is over, for a {@link DeadlineError}. */
  readonly signal: AbortSignal;
  /** Ends the link: the signal aborts no more, and its parents know nothing of it. */
  release(): void;
}

/**
 * Makes a signal that lives as long as one piece of work, from signals that may live as long as the process, and a limit in milliseconds, if
 * the work has one.
 * Not `AbortSignal.any`: in Node 20 a long-lived parent keeps a note of every signal ever made of it.
 */
export function linkSignals(parents: readonly AbortSignal[], timeoutMs?: number): LinkedSignal {
  const controller = new AbortController();
  const links = parents.map((parent) => ({ parent, end: () => controller.abort(parent.reason) }));
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => controller.abort(new DeadlineError(timeoutMs)), timeoutMs);
  // Each link ends with its work: many at once are much work, not a leak of which the process has to be warned.
  if (parents.length > 0) setMaxListeners(0, ...parents);
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
