import * as z from 'zod';
import { list } from './config.ts';

/** Share of an interval that is left to chance, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * Seconds until the next attempt after `intentos` failed ones, or null after the last. `intervalos` are the seconds
 * between two attempts; chance shortens each by up to a fifth. The answer's `Retry-After` (seconds) applies where it is
 * longer, up to the sum of the intervals that are left.
 */
export function nextIntento({
  intentos,
  intervalos,
  retryAfter = null,
  random = Math.random,
}: {
  readonly intentos: number;
  readonly intervalos: readonly number[];
  readonly retryAfter?: number | null;
  readonly random?: () => number;
}): number | null {
  const intervalo = intervalos[intentos - 1];
  if (intervalo === undefined) return null;
  const left = intervalos.slice(intentos - 1).reduce((sum, each) => sum + each, 0);
  return Math.max(intervalo * (1 - JITTER * random()), Math.min(retryAfter ?? 0, left));
}

/** A setting: seconds between two attempts of `que` (Spanish, after “intentos de”). */
export const intervalosField = (que: string) =>
  list(
    `Segundos entre dos intentos de ${que}, separados por comas: tantos intentos más como números. Se acortan al azar hasta una quinta parte.`,
  ).transform((values, context) => {
    const seconds = values.map(Number);
    if (seconds.length > 0 && seconds.length <= 50 && seconds.every((each) => each > 0)) return seconds;
    context.addIssue({ code: 'custom', message: 'debe ser una lista de números mayores que cero' });
    return z.NEVER;
  });
