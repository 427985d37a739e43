import type { Puerta } from '@acuse/core';
import type { Logger } from '@acuse/runtime';

/** Notes when and from where keys were last used, in batches, off the request path. */
export interface Usos {
  note(apiKeyId: string, at: Date, ip: string): void;
  /** Writes what was noted. Never rejects: a lost note harms nobody. */
  flush(): Promise<void>;
  /** Stops the timer and writes the rest. */
  close(): Promise<void>;
}

/** Flushes every `everyMs`. At most one note a key is kept between two flushes. */
export function createUsos(options: {
  readonly puerta: Pick<Puerta, 'noteUse'>;
  readonly everyMs: number;
  readonly log: Logger;
}): Usos {
  const { puerta, everyMs, log } = options;
  let latest = new Map<string, { apiKeyId: string; at: Date; ip: string }>();

  async function flush(): Promise<void> {
    if (latest.size === 0) return;
    const batch = [...latest.values()];
    latest = new Map();
    try {
      await puerta.noteUse(batch);
    } catch (err) {
      log.warn({ err, keys: batch.length }, 'last uses were not written');
    }
  }

  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();
  return {
    note(apiKeyId, at, ip) {
      latest.set(apiKeyId, { apiKeyId, at, ip });
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
