const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's `X-Request-Id` when it can be logged and sent back without harm, else a new one. */
export function requestIdOf(header: string | null, newId: () => string): string {
  return header !== null && SANE.test(header) ? header : newId();
}
