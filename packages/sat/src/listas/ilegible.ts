import { SatError } from '@acuse/core';

/** What came is not the list of article 69-B, or not all of it. */
export function listaIlegible(detalle: string): SatError {
  return new SatError('RESPUESTA_ILEGIBLE', { detalle: `lista 69-B: ${detalle}`.slice(0, 200) });
}
