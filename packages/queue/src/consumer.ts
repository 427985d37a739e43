import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueName } from '@acuse/core';
import { type OpenWorker, openWorker, type QueueSettings, type WakeUpData } from './connection.ts';

/** Milliseconds after the grace in which a consumer has to close. */
const CLOSE_LIMIT_MS = 2_000;

/**
 * A job could not be begun, for want of what every job needs: it goes back to the queue for another consumer, and this
 * one takes none until it is resumed.
 */
export class NotBegun extends Error {
  constructor(cause: unknown) {
    super('the job was not begun', { cause });
    this.name = 'NotBegun';
  }
}

interface ConsumoOptions<D> {
  readonly queue: string;
  /** Jobs worked on at the same time. */
  readonly concurrency: number;
  /**
   * Works on one job. An error goes to `onError` and ends the job, since the database holds the work that is left. The
   * exception is {@link NotBegun}.
   */
  readonly handle: (datos: D, signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export interface Consumer {
  running(): number;
  /** True from a job that was not begun until it is resumed; the running ones go on. */
  isPaused(): boolean;
  resume(): void;
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
function createConsumo<D>(settings: QueueSettings, options: ConsumoOptions<D>): Consumer {
  const { queue, concurrency, handle, onError } = options;
  const running = new Set<AbortController>();

  let isPaused = false;

  async function run(datos: D, lost: AbortSignal | undefined): Promise<boolean> {
    const controller = new AbortController();
    const abort = () => controller.abort(lost?.reason);
    lost?.addEventListener('abort', abort, { once: true });
    running.add(controller);
    try {
      await handle(datos, controller.signal);
      return true;
    } catch (error) {
      const isBegun = !(error instanceof NotBegun);
      // A failed job would keep its message in the queue's store, in clear text.
      if (isBegun || !isPaused) onError(error);
      if (isBegun) return true;
      // Before the job goes back: this consumer would take it again at once.
      isPaused = true;
      current.pause();
      return false;
    } finally {
      running.delete(controller);
      lost?.removeEventListener('abort', abort);
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
        concurrency,
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
    opened.ready.catch(() => replace(opened));
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
      for (const controller of running) controller.abort(new Error('shutdown'));
    }, graceMs);
    // A consumer whose server is away never says that it is closed.
    const limit = new Promise<void>((resolve) => setTimeout(resolve, graceMs + CLOSE_LIMIT_MS).unref());
    try {
      await Promise.race([consumer.close(), limit]);
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
    async rebuild() {
      if (isClosed) return;
      const old = current;
      current = start();
      // A broken consumer may never close; it is not waited for.
      void stop(old, 0);
    },
    close(graceMs) {
      isClosed = true;
      return stop(current, graceMs);
    },
  };
}

/** Consumes the wake-ups of one queue. */
export function createConsumer(
  settings: QueueSettings,
  options: ConsumoOptions<{ solicitudId: string; gen: number }> & { readonly queue: QueueName },
): Consumer {
  return createConsumo<WakeUpData>(settings, {
    ...options,
    handle: ({ solicitud_id: solicitudId, gen }, signal) => options.handle({ solicitudId, gen }, signal),
  });
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
  return createConsumo(settings, {
    queue: options.nombre,
    concurrency: 1,
    handle: (_datos, signal) => options.handle(signal),
    onError: options.onError,
  });
}
