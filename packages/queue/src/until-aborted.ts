/** Waits for `run` no longer than until `signal` aborts; rejects with its reason then. */
export async function untilAborted<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let reject: (reason: unknown) => void = () => {};
  const aborted = new Promise<never>((_, fail) => {
    reject = fail;
  });
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([run(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
