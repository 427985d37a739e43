import { type ConsultarCfdi, SatError } from '@acuse/core';

const RFC = /^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DECIMAL = /^(\d{1,18})(?:\.(\d{1,6}))?$/;

/**
 * The expression that is printed as QR code on a CFDI 3.3 or 4.0, without `fe` (the last characters of the seal), which
 * the service does not ask for. An ampersand of an RFC is written `&amp;` in it (phpcfdi/cfdi-expresiones). Throws
 * PETICION_RECHAZADA for what has no expression.
 */
export function expresionDe({ emisorRfc, receptorRfc, uuid, total }: ConsultarCfdi): string {
  if (!RFC.test(emisorRfc) || !RFC.test(receptorRfc)) throw refused('rfc');
  if (!UUID.test(uuid)) throw refused('uuid');
  const [re, rr] = [emisorRfc, receptorRfc].map((rfc) => rfc.toUpperCase().replaceAll('&', '&amp;'));
  return `?re=${re}&rr=${rr}&tt=${totalDe(total)}&id=${uuid}`;
}

/**
 * A total as the SAT compares it: at most 18 integer and 6 decimal digits, no meaningless zeros, at least one decimal
 * (`0.99`, `1.0`). Throws PETICION_RECHAZADA for a number that cannot be written so: negative, not finite, finer than a
 * millionth, or too large to be exact.
 */
export function totalDe(total: number): string {
  const found = Math.abs(total) <= Number.MAX_SAFE_INTEGER ? DECIMAL.exec(String(total)) : null;
  if (found === null) throw refused('total');
  return `${found[1]}.${found[2] ?? '0'}`;
}

function refused(campo: string): SatError {
  return new SatError('PETICION_RECHAZADA', { detalle: `${campo} sin expresión para el SAT` });
}
