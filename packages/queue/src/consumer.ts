import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore, type QueueName } from '@acuse/core';
import { linkSignals } from '@acuse/runtime';
import { type OpenWorker, openWorker, type QueueSettings, type WakeUpData, type WakeUpsData } from './connection.ts';

/** Milliseconds after the grace in which a consumer has to close. */
const CLOSE_LIMIT_MS = 2_000;

/** Jobs of wake-ups taken at the same time: one begins while the next is on its way. */
const JOBS_AT_ONCE = 2;

/**
 * A member of a job was not begun, for want of what every member needs: the job goes back to the queue for another
 * consumer, and this one takes none until it is resumed. Members that were begun are then delivered twice.
 */
export class NotBegun extends Error {
  constructor(cause: unknown) {
    super('a member of a job was not begun', { cause });
    this.name = 'NotBegun';
  }
}

interface ConsumoOptions<Member> {
  readonly queue: string;
  /** Members worked on at the same time, whatever job they came with. */
  readonly concurrency: number;
  /**
   * Works on one member. Its job is over when every member has called `begun` or ended. An error goes to `onError` and
   * ends the member, since the database holds the work that is left. The exception is {@link NotBegun}.
   */
  readonly handle: (member: Member, signal: AbortSignal, begun: () => void) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export interface Consumer {
  running(): number;
  /** True from a job that was not begun until it is resumed; the running ones go on. */
  isPaused(): boolean;
  resume(): void;
  /** Changes the members worked on at the same time; those begun go on. */
  resize(concurrency: number): void;
  /** Throws the consumer away and makes a new one: the remedy when nothing is consumed while rows are due. */
  rebuild(): Promise<void>;
  /** Stops taking wake-ups, aborts the running ones after `graceMs` and resolves when they are done. */
  close(graceMs: number): Promise<void>;
}

/** Milliseconds between two tries to reach a server that is away. */
const RETRY_MS = 500;

/**
 * Milliseconds during which further failures of the server are not told: the library repeats them at the speed of the
 * network.
 */
const QUIET_MS = 2_000;

/**
 * Consumes one queue by BullMQ, on either driver. A server that is away is waited for, at the start and later: BullMQ
 * remembers the failure of a first connection for ever, so such a consumer is replaced.
 */
function createConsumo<D, Member>(
  settings: QueueSettings,
  membersOf: (datos: D) => readonly Member[],
  options: ConsumoOptions<Member>,
): Consumer {
  const { queue, concurrency, handle, onError } = options;
  const slots = createSemaphore({ total: concurrency });
  const stopping = new AbortController();
  const running = new Map<AbortController, Promise<void>>();
  let isPaused = false;

  /** Works on a member in its slot; `lost` aborts it until it has begun. Rejects with {@link NotBegun} alone. */
  async function work(member: Member, lost: AbortSignal, begun: () => void): Promise<void> {
    const controller = new AbortController();
    const abort = () => controller.abort(lost.reason);
    const isBegun = () => {
      lost.removeEventListener('abort', abort);
      begun();
    };
    lost.addEventListener('abort', abort, { once: true });
    const ended = handle(member, controller.signal, isBegun);
    running.set(controller, ended);
    try {
      await ended;
    } catch (error) {
      if (error instanceof NotBegun) throw error;
      // A failed job would keep its message in the queue's store, in clear text.
      onError(error);
    } finally {
      lost.removeEventListener('abort', abort);
      running.delete(controller);
    }
  }

  /** Resolves when every member of a job has begun or ended; false sends the job back to the queue. */
  async function run(datos: D, lost: AbortSignal | undefined): Promise<boolean> {
    const failed = new AbortController();
    const held = linkSignals(lost ? [lost] : []);
    const waiting = linkSignals([failed.signal, stopping.signal, held.signal]);
    const begin = (member: Member) =>
      new Promise<void>((resolve, reject) => {
        slots.run('', waiting.signal, () => work(member, held.signal, resolve)).then(resolve, reject);
      });
    try {
      await Promise.all(membersOf(datos).map(begin));
      return true;
    } catch (error) {
      // The other members wait for no slot: they come again with the job.
      failed.abort(error);
      // Another consumer has the job.
      if (held.signal.aborted) return false;
      if (!isPaused && error instanceof NotBegun) onError(error);
      // Before the job goes back: this consumer would take it again at once.
      isPaused = true;
      current.pause();
      return false;
    } finally {
      waiting.release();
      held.release();
    }
  }

  let toldAt = 0;
  function tell(error: Error): void {
    if (Date.now() - toldAt < QUIET_MS) return;
    toldAt = Date.now();
    onError(error);
  }

  function start() {
    const opened = openWorker<D>(
      settings,
      queue,
      {
        concurrency: Math.min(concurrency, JOBS_AT_ONCE),
        // Wake-ups are idempotent: a stalled one may be delivered as often as it takes.
        maxStalledCount: 1_000_000,
        stalledInterval: 10_000,
        lockDuration: 30_000,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
        runRetryDelay: RETRY_MS,
      },
      run,
    );
    if (isPaused) opened.pause();
    opened.onError(tell);
    opened.ready.catch((error: Error) => {
      tell(error);
      return replace(opened);
    });
    return opened;
  }

  let isClosed = false;
  let current = start();

  async function replace(broken: OpenWorker): Promise<void> {
    await sleep(RETRY_MS, undefined, { ref: false });
    if (isClosed || current !== broken) return;
    current = start();
    void stop(broken, 0);
  }

  async function stop(consumer: OpenWorker, graceMs: number): Promise<void> {
    const timer = setTimeout(() => {
      for (const controller of running.keys()) controller.abort(new Error('shutdown'));
    }, graceMs);
    // A consumer whose server is away never says that it is closed.
    const limit = new Promise<void>((resolve) => setTimeout(resolve, graceMs + CLOSE_LIMIT_MS).unref());
    try {
      await Promise.race([consumer.close().then(() => Promise.allSettled(running.values())), limit]);
    } catch (error) {
      onError(error);
    } finally {
      clearTimeout(timer);
      consumer.discard();
    }
  }

  return {
    running: () => running.size,
    isPaused: () => isPaused,
    resume() {
      isPaused = false;
      current.resume();
    },
    resize: slots.resize,
    async rebuild() {
      if (isClosed) return;
      const old = current;
      current = start();
      // A broken consumer may never close; it is not waited for.
      void stop(old, 0);
    },
    close(graceMs) {
      isClosed = true;
      stopping.abort(new Error('shutdown'));
      return stop(current, graceMs);
    },
  };
}

/** Consumes the wake-ups of one queue. */
export function createConsumer(
  settings: QueueSettings,
  options: ConsumoOptions<{ solicitudId: string; gen: number }> & {
    readonly queue: QueueName;
    /** A job announced work for a topic. */
    readonly onTopic?: (topic: string) => void;
  },
): Consumer {
  const membersOf = (datos: WakeUpsData | WakeUpData) => {
    if ('topic' in datos && datos.topic !== undefined) options.onTopic?.(datos.topic);
    const wakeUps = 'wake_ups' in datos ? datos.wake_ups : [datos];
    return wakeUps.map(({ solicitud_id: solicitudId, gen }) => ({ solicitudId, gen }));
  };
  return createConsumo(settings, membersOf, options);
}

/** Consumes what `createScheduler` schedules: one at a time, wherever it runs. */
export function createScheduledConsumer(
  settings: QueueSettings,
  options: {
    readonly nombre: string;
    readonly handle: (signal: AbortSignal) => Promise<void>;
    readonly onError: (error: unknown) => void;
  },
): Consumer {
  return createConsumo(settings, (datos: unknown) => [datos], {
    queue: options.nombre,
    concurrency: 1,
    handle: (_datos, signal) => options.handle(signal),
    onError: options.onError,
  });
}
