import { SatError } from '@acuse/core';
import { DeadlineError, deadline } from '@acuse/runtime';

/** Reads the captcha of the SAT's log-in page: a person, a service, a model of the operator. */
export interface ResolvedorCaptcha {
  /**
   * The characters on an image (PNG or JPEG). An answer that cannot be one counts as a refused captcha. `signal` ends
   * when nobody waits any more.
   */
  resolve(imagen: Buffer, signal: AbortSignal): Promise<string>;
}

/** What the portal's field takes: at most 16 characters, which its page turns into capitals. */
const RESPUESTA = /^[A-Z0-9]{1,16}$/;

/**
 * Asks a resolver and waits at most `esperaMs`. Null when its answer cannot be a captcha. Rejects with CANCELADA when
 * the caller gave up, else with CAPTCHA_RECHAZADO (codigo RESOLVEDOR): without an answer there is no log-in, but there
 * may be later.
 */
export async function askCaptcha(
  resolvedor: ResolvedorCaptcha,
  imagen: Buffer,
  esperaMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  if (signal.aborted) throw new SatError('CANCELADA');
  try {
    const respuesta = await deadline(esperaMs, (limit) => resolvedor.resolve(imagen, limit), signal);
    const letras = respuesta.replace(/\s/g, '').toUpperCase();
    return RESPUESTA.test(letras) ? letras : null;
  } catch (error) {
    if (signal.aborted) throw new SatError('CANCELADA');
    if (error instanceof SatError) throw error;
    const detalle = error instanceof DeadlineError ? 'el resolvedor no contestó a tiempo' : 'el resolvedor falló';
    throw new SatError('CAPTCHA_RECHAZADO', { codigo: 'RESOLVEDOR', detalle });
  }
}
