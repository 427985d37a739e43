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
