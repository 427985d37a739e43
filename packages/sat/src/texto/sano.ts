import { SatError } from '@acuse/core';

/**
 * Throws RESPUESTA_ILEGIBLE for a text that was decoded with the wrong charset: it would be a wrong name, not a strange
 * one. `Ã` before a letter outside of ASCII is UTF-8 read as windows-1252, U+FFFD is windows-1252 read as UTF-8;
 * neither occurs in what the SAT writes.
 */
export function assertTextoSano(texto: string): void {
  if (/\uFFFD|[ÃÂ][^\x20-\x7E]/u.test(texto)) {
    throw new SatError('RESPUESTA_ILEGIBLE', { detalle: 'texto en otra codificación que la declarada' });
  }
}
