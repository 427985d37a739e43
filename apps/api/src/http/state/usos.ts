import type { AccessSnapshots } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import type { ApiKeyHash } from '@acuse/vault';

/** Notes when and from where keys were last used, and hashes under a newer pepper, in batches, off the request path. */
export interface Usos {
  note(apiKeyId: string, at: Date, ip: string): void;
  /** Another hash of a key that was just verified, to take the place of `antes`. */
  rehash(apiKeyId: string, antes: Uint8Array, nuevo: ApiKeyHash): void;
  /** Writes what was noted. Never rejects: a lost note harms nobody, and a lost hash comes again with the key. */
  flush(): Promise<void>;
  /** Stops the timer and writes the rest. */
  close(): Promise<void>;
}

/** Flushes every `everyMs`. At most one note a key is kept between two flushes. */
export function createUsos(options: {
  readonly accessSnapshots: Pick<AccessSnapshots, 'noteUse' | 'rehash'>;
  readonly everyMs: number;
  readonly log: Logger;
}): Usos {
  const { accessSnapshots, everyMs, log } = options;
  let latest = new Map<string, { apiKeyId: string; at: Date; ip: string }>();
  let hashes = new Map<string, readonly [antes: Uint8Array, nuevo: ApiKeyHash]>();

  async function flush(): Promise<void> {
    if (latest.size === 0 && hashes.size === 0) return;
    const [usos, rehashed] = [[...latest.values()], hashes];
    latest = new Map();
    hashes = new Map();
    try {
      await accessSnapshots.noteUse(usos);
      for (const [apiKeyId, [antes, nuevo]] of rehashed) await accessSnapshots.rehash(apiKeyId, antes, nuevo);
    } catch (err) {
      log.warn({ err, keys: usos.length }, 'last uses were not written');
    }
  }

  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();
  return {
    note(apiKeyId, at, ip) {
      latest.set(apiKeyId, { apiKeyId, at, ip });
    },
    rehash(apiKeyId, antes, nuevo) {
      hashes.set(apiKeyId, [antes, nuevo]);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
