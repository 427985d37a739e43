import { untilAborted } from '@acuse/runtime';
import { type OpenQueue, openQueue, type Programa, type QueueSettings } from './connection.ts';
import { type Consumer, createConsumo } from './create-consumption.ts';
import { QueueUnavailable } from './create-queue.ts';

/** Work that is done at times of the clock, in a queue of its own. */
export interface Tarea {
  /** Name of the queue and of its schedule. */
  readonly nombre: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** IANA time zone in which they are read. */
  readonly tz: string;
}

export interface Scheduler {
  /**
   * Makes sure that the server has the schedule, as it is given now. To be called again and again: a server that was
   * emptied has lost it. Rejects with {@link QueueUnavailable} when that was not done before `signal` aborts.
   */
  ensure(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * The schedule of one piece of work, by BullMQ's job scheduler. A queue object that failed is thrown away and made
 * anew, as by `createQueue`.
 */
export function createScheduler(
  settings: QueueSettings,
  { nombre, cron, tz }: Tarea,
  options: { onError?: (error: Error) => void } = {},
): Scheduler {
  const programa: Programa = { id: nombre, cron, tz };
  let open: OpenQueue | null = null;
  return {
    async ensure(signal) {
      const bull = open ?? openQueue(settings, nombre, options.onError ?? (() => {}));
      open = bull;
      try {
        await untilAborted(() => bull.schedule(programa), signal);
      } catch (error) {
        if (open === bull) open = null;
        void bull.discard();
        throw new QueueUnavailable(error);
      }
    },
    async close() {
      await open?.discard();
      open = null;
    },
  };
}

/** Consumes what a {@link Scheduler} rings: one at a time, wherever it runs. */
export function createScheduledConsumer(
  settings: QueueSettings,
  options: {
    readonly nombre: string;
    readonly handle: (signal: AbortSignal) => Promise<void>;
    readonly onError: (error: unknown) => void;
  },
): Consumer {
  return createConsumo(settings, {
    queue: options.nombre,
    concurrency: 1,
    handle: (_datos, signal) => options.handle(signal),
    onError: options.onError,
  });
}
