import type { Logger } from '@acuse/runtime';

/**
 * Makes `wake`: sends at once, then at most once in `everyMs` however often it is called, and never leaves the last
 * call unsent. The caller never waits and never sees a failure, since the relay looks by itself every second.
 */
export function createWake(options: {
  readonly send: () => Promise<void>;
  readonly everyMs: number;
  readonly log: Logger;
}): () => void {
  const { send, everyMs, log } = options;
  let isResting = false;
  let isWanted = false;

  function fire(): void {
    isWanted = false;
    isResting = true;
    send().catch((err: unknown) => log.debug({ err }, 'the relay was not woken'));
    setTimeout(() => {
      isResting = false;
      if (isWanted) fire();
    }, everyMs).unref();
  }

  return () => {
    isWanted = true;
    if (!isResting) fire();
  };
}
