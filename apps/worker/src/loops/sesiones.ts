import type { Captchas } from '@acuse/core';
import { type Logger, linkSignals } from '@acuse/runtime';
import type { SatAbierto } from '@acuse/sat';
import { startLoop } from './loop.ts';

/** Longest time of one turn, milliseconds: a portal that does not answer must not keep the process from closing. */
const TURN_MS = 30_000;

/**
 * Logs out the sessions with the SAT's portals whose life is over, of whichever process, and takes down the captchas
 * that nobody waits for any more. Apart from the reaper, whose deletions must not wait for the SAT.
 */
export function startSesiones(deps: {
  sat: Pick<SatAbierto, 'logout'>;
  captchas: Pick<Captchas, 'tidy'>;
  log: Logger;
  everyMs: number;
}) {
  const { sat, captchas, log, everyMs } = deps;
  return startLoop({
    name: 'sesiones',
    everyMs,
    log,
    turn: async (signal) => {
      const limit = linkSignals([signal], TURN_MS);
      const ended = await sat.logout(limit.signal).finally(limit.release);
      if (ended > 0) log.info({ ended }, 'logged out of sessions of the portals');
      await captchas.tidy();
      return false;
    },
  });
}
