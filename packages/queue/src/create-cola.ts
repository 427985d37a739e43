import type { Cola, NombreCola, Timbre } from '@acuse/core';
import { untilAborted } from '@acuse/runtime';
import { type OpenQueue, openQueue, type QueueSettings } from './connection.ts';

/** The queue did not take a delivery in time. */
export class ColaNoDisponible extends Error {
  constructor(cause: unknown) {
    super('the queue did not take the rings', { cause });
    this.name = 'ColaNoDisponible';
  }
}

/**
 * The doorbell over BullMQ. A queue object that failed once may stay broken after its server is back (a cached start-up failure), so it is
 * thrown away on every failure and made anew by the next call.
 */
export function createCola(
  settings: QueueSettings,
  options: { onError?: (error: Error) => void } = {},
): Cola {
  const onError = options.onError ?? (() => {});
  const open = new Map<NombreCola, OpenQueue>();

  function queueOf(cola: NombreCola): OpenQueue {
    const existing = open.get(cola);
    if (existing) return existing;
    const created = openQueue(settings, cola, onError);
    open.set(cola, created);
    return created;
  }

  async function add(cola: NombreCola, timbres: readonly Timbre[]): Promise<void> {
    await queueOf(cola).add(
      timbres.map(({ solicitudId, gen }) => ({
        name: 'timbre',
        data: { solicitud_id: solicitudId, gen },
        // A job of this id that waits or is worked on makes both drivers leave everything as it is.
        opts: { jobId: `${solicitudId}-${gen}` },
      })),
    );
  }

  async function within(cola: NombreCola, timbres: readonly Timbre[], signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(() => add(cola, timbres), signal);
    } catch (error) {
      const broken = open.get(cola);
      open.delete(cola);
      void broken?.discard();
      throw new ColaNoDisponible(error);
    }
  }

  return {
    async ring(timbres, signal) {
      for (const cola of ['descargas', 'ensambles'] as const) {
        const mine = timbres.filter((timbre) => timbre.cola === cola);
        if (mine.length > 0) await within(cola, mine, signal);
      }
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map((queue) => queue.discard()));
    },
  };
}
