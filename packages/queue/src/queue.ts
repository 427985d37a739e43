import type { QueueName, WakeUp } from '@acuse/core';
import { untilAborted } from '@acuse/runtime';
import { type NewJob, type OpenQueue, openQueue, type Program, type QueueSettings } from './connection.ts';

/** The queue did not take a delivery in time. */
export class QueueUnavailable extends Error {
  constructor(cause: unknown) {
    super('the queue did not take the wake-ups', { cause });
    this.name = 'QueueUnavailable';
  }
}

/**
 * Sends wake-ups over BullMQ. A wake-up may be lost, repeated or delayed: the rows decide. A queue object that failed
 * once may stay broken after its server is back (a cached start-up failure), so every failure discards it and the next
 * call makes a new one.
 */
export function createQueue(settings: QueueSettings, options: { onError?: (error: Error) => void } = {}) {
  const onError = options.onError ?? (() => {});
  const open = new Map<QueueName, OpenQueue>();

  function queueOf(queue: QueueName): OpenQueue {
    const existing = open.get(queue);
    if (existing) return existing;
    const created = openQueue(settings, queue, onError);
    open.set(queue, created);
    return created;
  }

  async function within(queue: QueueName, jobs: readonly NewJob[], signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(() => queueOf(queue).add(jobs), signal);
    } catch (error) {
      const broken = open.get(queue);
      open.delete(queue);
      void broken?.discard();
      throw new QueueUnavailable(error);
    }
  }

  return {
    /**
     * Sends wake-ups as jobs of up to `sizes` of them. Resolves when the queue has all of them; rejects within
     * `signal`'s life otherwise, and is usable again then.
     */
    async wake(
      wakeUps: readonly WakeUp[],
      signal: AbortSignal,
      sizes: Readonly<Partial<Record<QueueName, number>>> = {},
    ): Promise<void> {
      for (const queue of ['descargas', 'ensambles'] as const) {
        const mine = wakeUps.filter((wakeUp) => wakeUp.queue === queue);
        if (mine.length > 0) await within(queue, jobsOf(mine, sizes[queue] ?? 1), signal);
      }
    },
    /** Has one consumer of `queue` wake a topic. */
    announce: (queue: QueueName, topic: string, signal: AbortSignal) =>
      within(queue, [{ name: 'topic', data: { wake_ups: [], topic } }], signal),
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map((bull) => bull.discard()));
    },
  };
}

/**
 * The job of some wake-ups. A wake-up of its own names its job: a job of that name that waits or is worked on makes both
 * drivers leave everything as it is, so that a queue that is behind holds a wake-up twice at most.
 */
function jobOf(wakeUps: readonly WakeUp[]): NewJob {
  const data = { wake_ups: wakeUps.map(({ solicitudId, gen }) => ({ solicitud_id: solicitudId, gen })) };
  const [only] = wakeUps;
  if (wakeUps.length > 1 || only === undefined) return { name: 'wake-ups', data };
  return { name: 'wake-ups', data, opts: { jobId: `${only.solicitudId}-${only.gen}` } };
}

/** Jobs of up to `size` wake-ups; each that is sent again has its own. */
const jobsOf = (wakeUps: readonly WakeUp[], size: number): NewJob[] =>
  [
    ...wakeUps.filter(({ isAgain }) => isAgain).map((wakeUp) => [wakeUp]),
    ...chunks(
      wakeUps.filter(({ isAgain }) => !isAgain),
      size,
    ),
  ].map(jobOf);

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));

export type WorkQueue = ReturnType<typeof createQueue>;

/** Work that is done at times of the clock, in a queue of its own. */
interface Tarea {
  /** Name of the queue and of its schedule. */
  readonly nombre: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** IANA time zone in which they are read. */
  readonly tz: string;
}

/**
 * Schedules one task with BullMQ's job scheduler. A failed queue object is discarded and made again, as in
 * `createQueue`.
 */
export function createScheduler(
  settings: QueueSettings,
  { nombre, cron, tz }: Tarea,
  options: { onError?: (error: Error) => void } = {},
) {
  const entryProgram: Program = { id: nombre, cron, tz };
  let open: OpenQueue | null = null;
  return {
    /**
     * Makes sure that the server has the schedule, as it is given now. To be called again and again: a server that was
     * emptied has lost it. Rejects with {@link QueueUnavailable} when that was not done before `signal` aborts.
     */
    async ensure(signal: AbortSignal): Promise<void> {
      const bull = open ?? openQueue(settings, nombre, options.onError ?? (() => {}));
      open = bull;
      try {
        await untilAborted(() => bull.schedule(entryProgram), signal);
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
