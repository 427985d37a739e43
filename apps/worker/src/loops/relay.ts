import type { Bandeja, Cola } from '@acuse/core';
import { type Logger, linkSignals } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Rings carried to the queue in one go. */
const BATCH = 200;

/** Carries rings from the outbox to the queue: woken by the database's word and by a short timer, whichever comes first. */
export async function startRelay(deps: {
  bandeja: Bandeja;
  cola: Cola;
  log: Logger;
  everyMs: number;
  /** Milliseconds after which the queue counts as away. */
  queueTimeoutMs: number;
}) {
  const { bandeja, cola, log, everyMs, queueTimeoutMs } = deps;
  const loop = startLoop({
    name: 'relay',
    everyMs,
    log,
    turn: async (signal) => {
      const limit = linkSignals([signal], queueTimeoutMs);
      const drained = bandeja.drain(BATCH, (timbres) => cola.ring(timbres, limit.signal));
      return (await drained.finally(limit.release)) === BATCH;
    },
  });
  const listening = await bandeja.listen(() => loop.wake());
  return {
    async close() {
      await listening.close();
      await loop.close();
    },
  };
}
