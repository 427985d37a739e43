import type { QueueName, WakeUp, WorkQueue } from '@acuse/core';
import { untilAborted } from '@acuse/runtime';
import { type OpenQueue, openQueue, type QueueSettings } from './connection.ts';

/** The queue did not take a delivery in time. */
export class QueueUnavailable extends Error {
  constructor(cause: unknown) {
    super('the queue did not take the rings', { cause });
    this.name = 'ColaNoDisponible';
  }
}

/**
 * The doorbell over BullMQ. A queue object that failed once may stay broken after its server is back (a cached start-up
 * failure), so it is thrown away on every failure and made anew by the next call.
 */
export function createQueue(settings: QueueSettings, options: { onError?: (error: Error) => void } = {}): WorkQueue {
  const onError = options.onError ?? (() => {});
  const open = new Map<QueueName, OpenQueue>();

  function queueOf(queue: QueueName): OpenQueue {
    const existing = open.get(queue);
    if (existing) return existing;
    const created = openQueue(settings, queue, onError);
    open.set(queue, created);
    return created;
  }

  async function add(queue: QueueName, wakeUps: readonly WakeUp[]): Promise<void> {
    await queueOf(queue).add(
      wakeUps.map(({ solicitudId, gen }) => ({
        name: 'timbre',
        data: { solicitud_id: solicitudId, gen },
        // A job of this id that waits or is worked on makes both drivers leave everything as it is.
        opts: { jobId: `${solicitudId}-${gen}` },
      })),
    );
  }

  async function within(queue: QueueName, wakeUps: readonly WakeUp[], signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(() => add(queue, wakeUps), signal);
    } catch (error) {
      const broken = open.get(queue);
      open.delete(queue);
      void broken?.discard();
      throw new QueueUnavailable(error);
    }
  }

  return {
    async ring(wakeUps, signal) {
      for (const queue of ['descargas', 'ensambles'] as const) {
        const mine = wakeUps.filter((wakeUp) => wakeUp.queue === queue);
        if (mine.length > 0) await within(queue, mine, signal);
      }
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map((bull) => bull.discard()));
    },
  };
}
