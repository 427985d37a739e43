/**
 * Writes what a process keeps in memory every `everyMs` milliseconds, one write after the other, and once more at the
 * close. What that last write does not finish within `lastMs` is given up: a process that ends has no next time. `write`
 * never rejects.
 */
export function startFlush(options: {
  readonly everyMs: number;
  readonly lastMs: number;
  readonly write: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}) {
  const { everyMs, lastMs, write, onError } = options;
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
