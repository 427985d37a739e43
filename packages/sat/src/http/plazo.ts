import { SatError } from '@acuse/core';
import { linkSignals, untilAborted } from '@acuse/runtime';

/** The life of one request: ends with the caller's signal or with the clock, whichever comes first. */
export interface Plazo {
  readonly signal: AbortSignal;
  /** Why it ended early; undefined while it has not. */
  reason(): SatError | undefined;
  /** Lets go of the timer and of the caller's signal. */
  release(): void;
}

/** Starts the clock. */
export function startPlazo(caller: AbortSignal, totalMs: number): Plazo {
  const { signal, release } = linkSignals([caller], totalMs);
  return {
    signal,
    reason() {
      if (!signal.aborted) return undefined;
      const isCaller = signal.reason === caller.reason;
      return isCaller ? new SatError('CANCELADA') : new SatError('TIEMPO_AGOTADO', { detalle: 'total' });
    },
    release,
  };
}

/** What `run` gives or throws, but CANCELADA as soon as the signal aborts. */
export async function untilCancelled<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await untilAborted(run, signal);
  } catch (error) {
    throw signal.aborted && error === signal.reason ? new SatError('CANCELADA') : error;
  }
}
