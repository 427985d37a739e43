import type { Avance, ClaimedSolicitud, Claims } from '../ports/solicitudes.ts';
import type { AdvanceDeps } from './parte.ts';
import { takeStep } from './solicitud.ts';

/** Steps that follow each other under one claim: a longer row of them keeps its slot from another account. */
const STEPS_OF_A_CLAIM = 3;

/**
 * Carries a claimed solicitud through the SAT: takes steps while the next is due at once, and gives the claim back with
 * the time of the next wake-up. What may go wrong with the SAT ends in a later wake-up or a terminal state; only
 * `StaleEpoch` and failures of database and storage come out, with the claim still held.
 */
export async function advanceSolicitud(
  deps: AdvanceDeps,
  claimed: ClaimedSolicitud,
  signal: AbortSignal,
): Promise<void> {
  let held: ClaimedSolicitud | null = claimed;
  for (let left = STEPS_OF_A_CLAIM - 1; held !== null; left -= 1) {
    let next: ClaimedSolicitud | null = null;
    const release: Claims['release'] = async (of, avance: Avance, then) => {
      if (then.queue === 'ensambles' || then.inSeconds > 0 || signal.aborted)
        return deps.claims.release(of, avance, then);
      next = await deps.claims.goOn(of, avance);
    };
    const claims = left > 0 ? { ...deps.claims, release } : deps.claims;
    await takeStep({ ...deps, claims }, held, signal);
    held = next;
  }
}
