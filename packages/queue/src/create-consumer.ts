import type { QueueName } from '@acuse/core';
import type { QueueSettings, WakeUpData } from './connection.ts';
import { type Consumer, createConsumo } from './create-consumption.ts';

export interface ConsumidorOptions {
  readonly queue: QueueName;
  /** Rings worked on at the same time. */
  readonly concurrency: number;
  /**
   * Works on one ring. What it throws is reported to `onError`; the ring is over either way, since the row rings again
   * by itself.
   */
  readonly handle: (wakeUp: { solicitudId: string; gen: number }, signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Consumes the rings of one queue. */
export function createConsumer(settings: QueueSettings, options: ConsumidorOptions): Consumer {
  return createConsumo<WakeUpData>(settings, {
    ...options,
    handle: ({ solicitud_id: solicitudId, gen }, signal) => options.handle({ solicitudId, gen }, signal),
  });
}
