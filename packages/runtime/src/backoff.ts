/** How the waits of a series of attempts grow. */
export interface BackoffOptions {
  /** The wait before the second attempt, in milliseconds, before jitter. */
  readonly baseMs: number;
  /** No wait is longer than this, in milliseconds. */
  readonly capMs: number;
  /** Growth per attempt; 2 by default. */
  readonly factor?: number;
  /** Part of the wait that is left to chance, from 0 (none) to 1 (all of it); 0.5 by default. */
  readonly jitter?: number;
  /** A number from 0 (included) to 1 (excluded). */
  readonly random?: () => number;
}

/**
 * The wait in whole milliseconds after the failed attempt number `attempt` (the first is 1): exponential, capped,
 * with jitter that only shortens it.
 */
export function backoff(attempt: number, options: BackoffOptions): number {
  const { baseMs, capMs, factor = 2, jitter = 0.5, random = Math.random } = options;
  const exponent = Math.max(0, attempt - 1);
  const full = Math.min(capMs, baseMs * factor ** exponent);
  return Math.round(full * (1 - jitter * random()));
}
