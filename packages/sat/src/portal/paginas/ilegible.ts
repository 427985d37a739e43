import { SatError } from '@acuse/core';

/**
 * The portal answered with something else than the documented page. `detalle` names what was missing, never the text.
 */
export function ilegible(detalle: string): SatError {
  return new SatError('RESPUESTA_ILEGIBLE', { detalle });
}
