import { durationMs, integer } from '@acuse/runtime';
import type * as z from 'zod';

/** For a process with the role `sincronizacion`. */
export const sincronizacionFields = {
  SINCRONIZACION_INTERVAL_MS: durationMs('Milisegundos entre dos vistas a las lecturas que toca pedir o guardar.', {
    min: 10,
  }).default(5_000),
  SINCRONIZACION_CONCURRENCY: integer('Lecturas que este proceso pide o guarda a la vez.', { min: 1, max: 64 }).default(
    4,
  ),
  SINCRONIZACION_A_LA_VEZ: integer('Lecturas de una sincronización que el SAT prepara a la vez.', {
    min: 1,
    max: 50,
  }).default(3),
};

export type SincronizacionSettings = Readonly<z.output<z.ZodObject<typeof sincronizacionFields>>>;

export const SINCRONIZACION_ROLE = 'sincronizacion';
