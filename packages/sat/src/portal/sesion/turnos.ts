import { SatError } from '@acuse/core';

/** One at a time for each key, in the order of asking. */
export interface Turnos {
  /** Runs `work` when everybody before has finished. Rejects with CANCELADA when `signal` ends the wait. */
  take<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createTurnos(): Turnos {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async take(key, signal, work) {
      const before = tails.get(key) ?? Promise.resolve();
      const run = before.then(() => {
        if (signal.aborted) throw new SatError('CANCELADA');
        return work();
      });
      const tail = run.catch(() => {});
      tails.set(key, tail);
      void tail.then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
      return raceSignal(run, signal);
    },
  };
}

async function raceSignal<T>(run: Promise<T>, signal: AbortSignal): Promise<T> {
  let cancel = () => {};
  const cancelled = new Promise<never>((_resolve, reject) => {
    cancel = () => reject(new SatError('CANCELADA'));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
  try {
    return await Promise.race([run, cancelled]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
