import type { SesionesPortal } from '@acuse/core';

/** Sessions that were taken out of the store to be logged out. */
export type Terminadas = Awaited<ReturnType<SesionesPortal['takeEnded']>>;

/** How many sessions are logged out at the same time. */
const SALIDAS = 8;

/**
 * Takes the sessions out of the store that have ended, and hands them to `leave`: replaced ones, those whose credential
 * was stored again, and those unused for `idleMs` milliseconds. Gives their number. Without such a session `leave`,
 * which needs the code of the portals, is not called.
 */
export async function logoutEnded(
  almacen: Pick<SesionesPortal, 'takeEnded'>,
  idleMs: number,
  signal: AbortSignal,
  leave: (ended: Terminadas) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (;;) {
    const ended = await almacen.takeEnded(idleMs, SALIDAS);
    if (ended.length > 0) await leave(ended);
    count += ended.length;
    if (ended.length < SALIDAS || signal.aborted) return count;
  }
}
