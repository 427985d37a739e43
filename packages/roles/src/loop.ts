import type { Logger } from '@acuse/runtime';

export interface Loop {
  /** Runs the next turn now instead of at its time. */
  wake(): void;
  /** Lets the running turn end and starts no other. */
  close(): Promise<void>;
}

/** Milliseconds that a loop rests at most while nothing is due: a notification may be lost. */
const REST_MS = 5_000;

/** Milliseconds until the next turn when nothing becomes due within `seconds` without a notification: `everyMs` or more. */
export const restMs = (everyMs: number, seconds: number) => Math.max(everyMs, Math.min(seconds * 1_000, REST_MS));

/**
 * Repeats `turn` every `everyMs` until closed. A turn that returns true is followed by the next at once: there is more
 * to do. A number is the milliseconds until the next one. A turn that throws is logged (the first of a row only) and followed by the next at its time.
 */
export function startLoop(options: {
  name: string;
  everyMs: number;
  turn: (signal: AbortSignal) => Promise<boolean | number>;
  log: Logger;
}): Loop {
  const { name, everyMs, turn, log } = options;
  const controller = new AbortController();
  let wakeUp: () => void = () => {};
  let isWoken = false;
  let isFailing = false;

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
      if (isWoken || controller.signal.aborted) wakeUp();
    });

  const run = async () => {
    while (!controller.signal.aborted) {
      isWoken = false;
      let next: boolean | number = false;
      try {
        next = await turn(controller.signal);
        if (isFailing) log.info({ loop: name }, 'loop_recovered');
        isFailing = false;
      } catch (error) {
        if (!isFailing && !controller.signal.aborted) log.error({ loop: name, err: error }, 'loop_failed');
        isFailing = true;
      }
      if (next !== true) await pause(next || everyMs);
    }
  };

  const running = run();
  return {
    wake() {
      isWoken = true;
      wakeUp();
    },
    async close() {
      controller.abort();
      wakeUp();
      await running;
    },
  };
}
