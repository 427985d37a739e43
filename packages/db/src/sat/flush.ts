export interface FlushOptions {
  /** Milliseconds between two writes. Default: a minute, since each process writes for itself. */
  readonly everyMs?: number;
  /** Milliseconds that the last write may take. Default: 2,000. */
  readonly lastMs?: number;
  /** Called with the failure of each write; what it held is written with the next. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Writes what a process keeps in memory, one write after the other, and once more at the close. A last write that does not
 * end in time is given up: a process that ends has no next time. `write` never rejects.
 */
export function startFlush(
  write: () => Promise<void>,
  { everyMs = 60_000, lastMs = 2_000, onError = () => {} }: FlushOptions,
) {
  let writing: Promise<void> = Promise.resolve();
  /** Writes now, after the write under way. */
  const flush = () => {
    writing = writing.then(write);
    return writing;
  };
  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();
  return {
    flush,
    async close() {
      clearInterval(timer);
      let giveUp: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((resolve) => {
        giveUp = setTimeout(() => {
          onError(new Error(`the last sums were not written within ${lastMs} ms`));
          resolve();
        }, lastMs);
      });
      await Promise.race([flush(), tooLate]);
      clearTimeout(giveUp);
    },
  };
}
