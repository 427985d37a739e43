import { setTimeout as sleep } from 'node:timers/promises';
import { createOutbox, type Outbox } from '@acuse/db';
import { createQueue, type WorkQueue } from '@acuse/queue';
import { OUTBOX, relayed, restMs, SLOTS, startLoop } from '@acuse/roles';
import { type Logger, linkSignals } from '@acuse/runtime';
import { TOPICS } from '../features.ts';
import type { OpenWorkerRole } from './role.ts';

/**
 * Milliseconds after a hand-over until the next turn, doubled by each turn without one while wake-ups wait for a slot: the
 * slots of other processes become free unheard.
 */
const SOON_MS = 20;

/** Milliseconds that a turn rests at least: the slots that become free meanwhile are given out together. */
const PACE_MS = 10;

/**
 * Carries due wake-ups from the outbox to the queue. A turn starts with a call of `wake`, for a wake-up that is due at
 * once; with a call of `freed`, for a free slot, while wake-ups wait for one; and with a timer.
 */
export function startRelay(deps: {
  outbox: Outbox;
  queue: WorkQueue;
  log: Logger;
  everyMs: number;
  /** Milliseconds after which the queue counts as away. */
  queueTimeoutMs: number;
  /** Seconds without a claim after which a wake-up is sent again. */
  graceSeconds: number;
}) {
  const { outbox, queue, log, everyMs, queueTimeoutMs, graceSeconds } = deps;
  let soonMs = SOON_MS;
  let isWaiting = false;
  /** True after a slot became free during the turn, perhaps unseen; null after a turn without an error. */
  let isFreed: boolean | null = null;
  const loop = startLoop({
    name: 'relay',
    everyMs,
    log,
    turn: async (signal) => {
      isFreed = false;
      const drained = await outbox.drain({ graceSeconds }, async (wakeUps, sizes) => {
        const limit = linkSignals([signal], queueTimeoutMs);
        await queue.wake(wakeUps, limit.signal, sizes).finally(limit.release);
      });
      await sleep(PACE_MS);
      const isRoom = isFreed;
      isFreed = null;
      isWaiting = drained.isWaiting;
      if (drained.hasMore || (isWaiting && isRoom)) return true;
      soonMs = drained.delivered > 0 ? SOON_MS : 2 * soonMs;
      if (isWaiting) return Math.min(soonMs, everyMs);
      return restMs(everyMs, drained.restSeconds);
    },
  });
  return {
    ...loop,
    freed() {
      if (isFreed !== null) isFreed = true;
      else if (isWaiting) loop.wake();
    },
  };
}

/** Carries wake-ups from the outbox to the queue. */
export const openRelay: OpenWorkerRole = ({ config, database, log, queueSettings, wakes, closeLater }) => {
  const onError = (error: Error) => log.debug({ err: error }, 'queue_away');
  const queue = closeLater('queue', createQueue(queueSettings, { onError }));
  const relay = startRelay({
    outbox: createOutbox(database),
    queue,
    log,
    everyMs: config.RELAY_INTERVAL_MS,
    queueTimeoutMs: config.QUEUE_TIMEOUT_MS,
    graceSeconds: config.RECONCILER_GRACE_SECONDS,
  });
  closeLater('relay', relay);
  closeLater('relay-wakes', { close: wakes.on(OUTBOX, relay.wake) });
  closeLater('relay-slots', { close: wakes.on(SLOTS, relay.freed) });
  for (const topic of TOPICS) {
    const announce = () =>
      queue.announce('descargas', topic, AbortSignal.timeout(config.QUEUE_TIMEOUT_MS)).catch(onError);
    closeLater(`relay-${topic}`, { close: wakes.on(relayed(topic), () => void announce()) });
  }
};
