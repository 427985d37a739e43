import { untilAborted } from '@acuse/runtime';
import { type OpenQueue, openQueue, type Programa, type QueueSettings } from './connection.ts';
import { ColaNoDisponible } from './create-cola.ts';
import { type Consumidor, createConsumo } from './create-consumo.ts';

/** Work that is done at times of the clock, in a queue of its own. */
export interface Tarea {
  /** Name of the queue and of its schedule. */
  readonly nombre: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** IANA time zone in which they are read. */
  readonly tz: string;
}

export interface Programador {
  /**
   * Makes sure that the server has the schedule, as it is given now. To be called again and again: a server that was emptied has lost it.
   * Rejects with {@link ColaNoDisponible} when that was not done before `signal` aborts.
   */
  ensure(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The schedule of one piece of work, by BullMQ's job scheduler. A queue object that failed is thrown away and made anew, as by `createCola`. */
export function createProgramador(
  settings: QueueSettings,
  { nombre, cron, tz }: Tarea,
  options: { onError?: (error: Error) => void } = {},
): Programador {
  const programa: Programa = { id: nombre, cron, tz };
  let open: OpenQueue | null = null;
  return {
    async ensure(signal) {
      const queue = open ?? openQueue(settings, nombre, options.onError ?? (() => {}));
      open = queue;
      try {
        await untilAborted(() => queue.schedule(programa), signal);
      } catch (error) {
        if (open === queue) open = null;
        void queue.discard();
        throw new ColaNoDisponible(error);
      }
    },
    async close() {
      await open?.discard();
      open = null;
    },
  };
}

/** Consumes what a {@link Programador} rings: one at a time, wherever it runs. */
export function createConsumidorProgramado(
  settings: QueueSettings,
  options: {
    readonly nombre: string;
    readonly handle: (signal: AbortSignal) => Promise<void>;
    readonly onError: (error: unknown) => void;
  },
): Consumidor {
  return createConsumo(settings, {
    cola: options.nombre,
    concurrency: 1,
    handle: (_datos, signal) => options.handle(signal),
    onError: options.onError,
  });
}
