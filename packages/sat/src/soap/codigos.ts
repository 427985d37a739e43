import { type MotivoSatError, SatError } from '@acuse/core';
import { unreadable } from './xml.ts';

/** `CodEstatus` of a call that was accepted. */
export const ACEPTADO = '5000';
/** The token is missing, past its time, or of another service. */
export const TOKEN_INVALIDO = '300';

/** Codes that speak of the certificate: revoked, expired, not an e.firma. */
export const CERTIFICADO_RECHAZADO: ReadonlySet<string> = new Set(['303', '304', '305']);

/**
 * Codes of a call that mean the same for every operation (the SAT's manual of the service and the enumeration of
 * AndresRamos/ARSoftware.Cfdi.DescargaMasiva).
 *
 * 300 comes here only after a token made a moment ago was refused too, which says nothing about the e.firma. 302 is a
 * seal that the SAT could not read, so our fault and not the e.firma's; 303 to 305 speak of the certificate itself.
 */
const ERRORES: Readonly<Record<string, MotivoSatError>> = {
  '300': 'SERVICIO_CON_ERROR',
  '301': 'PETICION_RECHAZADA',
  '302': 'PETICION_RECHAZADA',
  '303': 'EFIRMA_RECHAZADA',
  '304': 'EFIRMA_RECHAZADA',
  '305': 'EFIRMA_RECHAZADA',
  '404': 'SERVICIO_CON_ERROR',
  '5006': 'SERVICIO_CON_ERROR',
  '5011': 'SERVICIO_CON_ERROR',
};

/** The error behind a code that is no answer to the question. A code that nobody documented is RESPUESTA_ILEGIBLE. */
export function errorOf(codigo: string): SatError {
  const motivo = ERRORES[codigo];
  return motivo === undefined ? unreadable('código desconocido', codigo) : new SatError(motivo, { codigo });
}

/** A code as the SAT writes it: digits. Throws RESPUESTA_ILEGIBLE for anything else, absence included. */
export function readCodigo(text: string | undefined, nombre: string): string {
  if (text === undefined || !/^\d{1,5}$/.test(text)) throw unreadable(`${nombre} no es un código`);
  return text;
}

/** `Mensaje` of the SAT, fit to be stored and shown: no control characters, at most 500 characters. */
export function readMensaje(text: string | undefined): string {
  return (text ?? '')
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, 500);
}

/** An id that the SAT gave. Anything that does not look like one is refused, since ids become keys of our storage. */
export function readId(text: string | undefined, nombre: string): string {
  if (text === undefined || !/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text)) throw unreadable(`${nombre} no es un id`);
  return text;
}
