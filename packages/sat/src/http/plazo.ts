import { SatError } from '@acuse/core';

/** The life of one request: ends with the caller's signal or with the clock, whichever comes first. */
export interface Plazo {
  readonly signal: AbortSignal;
  /** Why it ended early; undefined while it has not. */
  reason(): SatError | undefined;
  /** Lets go of the timer and of the caller's signal. */
  release(): void;
}

/** Starts the clock. `onEnd` is called once if the time ends early. */
export function startPlazo(signal: AbortSignal, totalMs: number, onEnd?: (reason: SatError) => void): Plazo {
  const controller = new AbortController();
  let reason: SatError | undefined;
  const end = (why: SatError) => {
    if (reason !== undefined) return;
    reason = why;
    release();
    controller.abort(why);
    onEnd?.(why);
  };
  const cancel = () => end(new SatError('CANCELADA'));
  const timer = setTimeout(() => end(new SatError('TIEMPO_AGOTADO', { detalle: 'total' })), totalMs);
  const release = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return { signal: controller.signal, reason: () => reason, release };
}
