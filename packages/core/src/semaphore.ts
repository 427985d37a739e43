import { SatError } from './sat-error.ts';

/** Lets a limited number of tasks run at once in this process: in all, and for one key. */
export interface Semaphore {
  /**
   * Runs `work` when there is room for it, in the order of asking. Rejects with CANCELADA when `signal` ends the wait.
   */
  run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Runs `work` when there is room for it now; else null. */
  tryRun<T>(key: string, work: () => Promise<T>): Promise<T> | null;
  /** Changes the room for all; those that run beyond it end first. */
  resize(total: number): void;
  /** Tasks that run or wait. */
  readonly size: number;
}

interface Waiter {
  readonly key: string;
  readonly start: () => void;
}

const NO_LIMIT = Number.POSITIVE_INFINITY;

/** Room for `perKey` tasks of one key and for `total` of all; each without a limit by default. */
export function createSemaphore({
  perKey = NO_LIMIT,
  total: given = NO_LIMIT,
}: {
  readonly perKey?: number;
  readonly total?: number;
}): Semaphore {
  const running = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let occupied = 0;
  let total = given;

  const hasRoom = (key: string) => occupied < total && (running.get(key) ?? 0) < perKey;

  function occupy(key: string): void {
    occupied += 1;
    running.set(key, (running.get(key) ?? 0) + 1);
  }

  function free(key: string): void {
    occupied -= 1;
    const left = (running.get(key) ?? 1) - 1;
    if (left === 0) running.delete(key);
    else running.set(key, left);
    startWaiting();
  }

  function startWaiting(): void {
    for (const waiter of waiting) {
      if (occupied >= total) return;
      if (!hasRoom(waiter.key)) continue;
      waiting.delete(waiter);
      occupy(waiter.key);
      waiter.start();
    }
  }

  function enter(key: string, signal: AbortSignal): Promise<void> | undefined {
    if (hasRoom(key)) {
      occupy(key);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const waiter = {
        key,
        start: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        waiting.delete(waiter);
        reject(new SatError('CANCELADA', { detalle: 'en espera de turno' }));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.add(waiter);
    });
  }

  async function runInside<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      free(key);
    }
  }

  return {
    async run(key, signal, work) {
      if (signal.aborted) throw new SatError('CANCELADA');
      await enter(key, signal);
      return runInside(key, work);
    },
    tryRun(key, work) {
      if (!hasRoom(key)) return null;
      occupy(key);
      return runInside(key, work);
    },
    resize(to) {
      total = to;
      startWaiting();
    },
    get size() {
      return occupied + waiting.size;
    },
  };
}
