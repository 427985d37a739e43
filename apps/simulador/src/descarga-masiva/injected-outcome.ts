import type { FaultRule } from '../world/faults/faults.ts';
import { MENSAJES, type Outcome } from './codes.ts';

/** What a `code` fault makes an operation answer; without a code it is the SAT's 404, its uncontrolled error. */
export function injectedOutcome({ code = 404, mensaje }: Pick<FaultRule, 'code' | 'mensaje'>): Outcome {
  const known: Record<number, string> = MENSAJES;
  return { code, mensaje: mensaje ?? known[code] ?? 'Error no Controlado' };
}
