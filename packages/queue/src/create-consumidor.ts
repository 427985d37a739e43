import type { NombreCola } from '@acuse/core';
import type { DatosTimbre, QueueSettings } from './connection.ts';
import { type Consumidor, createConsumo } from './create-consumo.ts';

export interface ConsumidorOptions {
  readonly cola: NombreCola;
  /** Rings worked on at the same time. */
  readonly concurrency: number;
  /** Works on one ring. What it throws is reported to `onError`; the ring is over either way, since the row rings again by itself. */
  readonly handle: (timbre: { solicitudId: string; gen: number }, signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Consumes the rings of one queue. */
export function createConsumidor(settings: QueueSettings, options: ConsumidorOptions): Consumidor {
  return createConsumo<DatosTimbre>(settings, {
    ...options,
    handle: ({ solicitud_id: solicitudId, gen }, signal) => options.handle({ solicitudId, gen }, signal),
  });
}
