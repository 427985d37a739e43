import { SatError } from '@acuse/core';

/** Lets a limited number of queries run at once: in all, and for one taxpayer. */
export interface Turnos {
  /**
   * Runs `work` when there is room for it, in the order of asking. Rejects with CANCELADA when `signal` ends the wait.
   */
  run<T>(rfc: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Queries that run or wait. */
  readonly size: number;
}

interface Espera {
  readonly rfc: string;
  readonly start: () => void;
}

/** `porRfc` queries of one taxpayer and `enTotal` of all at once in this process. */
export function createTurnos({
  porRfc,
  enTotal,
}: {
  readonly porRfc: number;
  readonly enTotal: number;
}): Turnos {
  const running = new Map<string, number>();
  const waiting = new Set<Espera>();
  let total = 0;

  const hasRoom = (rfc: string) => total < enTotal && (running.get(rfc) ?? 0) < porRfc;

  function occupy(rfc: string): void {
    total += 1;
    running.set(rfc, (running.get(rfc) ?? 0) + 1);
  }

  function free(rfc: string): void {
    total -= 1;
    const left = (running.get(rfc) ?? 1) - 1;
    if (left === 0) running.delete(rfc);
    else running.set(rfc, left);
    for (const espera of waiting) {
      if (total >= enTotal) return;
      if (!hasRoom(espera.rfc)) continue;
      waiting.delete(espera);
      occupy(espera.rfc);
      espera.start();
    }
  }

  function enter(rfc: string, signal: AbortSignal): Promise<void> | undefined {
    if (hasRoom(rfc)) {
      occupy(rfc);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const espera = {
        rfc,
        start: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        waiting.delete(espera);
        reject(new SatError('CANCELADA', { detalle: 'en espera de turno' }));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.add(espera);
    });
  }

  return {
    async run(rfc, signal, work) {
      if (signal.aborted) throw new SatError('CANCELADA');
      await enter(rfc, signal);
      try {
        return await work();
      } finally {
        free(rfc);
      }
    },
    get size() {
      return total + waiting.size;
    },
  };
}
