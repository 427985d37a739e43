import { toDia } from '../../../fechas.ts';
import { ilegible } from '../../../texto.ts';

/** Readers of the texts in cells. Each throws RESPUESTA_ILEGIBLE for a text that is not of its kind. */

const UUID = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const RFC = /^[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}$/;
const IMPORTE = /^\$?\s?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,6}))?$/;
const ISO =
  /^(?<anio>\d{4})-(?<mes>\d{2})-(?<dia>\d{2})(?:[T ](?<hora>(?:[01]\d|2[0-3])(?::[0-5]\d){2})(?:\.\d{1,7})?)?$/;
const MEXICAN = /^(?<dia>\d{2})\/(?<mes>\d{2})\/(?<anio>\d{4})(?: (?<hora>(?:[01]\d|2[0-3])(?::[0-5]\d){2}))?$/;

/** Upper case, 36 characters. */
export function readUuid(texto: string): string {
  const uuid = texto.toUpperCase();
  if (!UUID.test(uuid)) throw ilegible('folio fiscal');
  return uuid;
}

/** Upper case, as in the registry, generic ones included. */
export function readRfc(texto: string): string {
  const rfc = texto.normalize('NFC').toUpperCase();
  if (!RFC.test(rfc)) throw ilegible('RFC');
  return rfc;
}

/** `$1,234.00` as a number. Amounts with more digits than a number holds exactly (15) are not readable. */
export function readImporte(texto: string): number {
  const [, entero, decimals = ''] = IMPORTE.exec(texto) ?? [];
  if (entero === undefined) throw ilegible('importe');
  const digitos = entero.replaceAll(',', '').replace(/^0+(?=\d)/, '');
  if (digitos.length + decimals.replace(/0+$/, '').length > 15) throw ilegible('importe');
  return Number(`${digitos}.${decimals === '' ? '0' : decimals}`);
}

/** An instant as `yyyy-MM-ddTHH:mm:ss`. */
export function readInstant(texto: string): string {
  const instante = readFecha(texto);
  if (instante.length === 10) throw ilegible('fecha sin hora');
  return instante;
}

/**
 * A day (`yyyy-MM-dd`) or an instant (`yyyy-MM-ddTHH:mm:ss`), whichever the text holds. Understood are those two forms,
 * with a blank for the T and fractions of a second, and `dd/MM/yyyy` with or without the time.
 */
export function readFecha(texto: string): string {
  const { anio, mes, dia, hora } = (ISO.exec(texto) ?? MEXICAN.exec(texto))?.groups ?? {};
  const fecha = toDia(Number(anio), Number(mes), Number(dia));
  if (fecha === null) throw ilegible('fecha');
  return hora === undefined ? fecha : `${fecha}T${hora}`;
}

export function readEstado(texto: string): 'VIGENTE' | 'CANCELADO' {
  const estado = texto.toLowerCase();
  if (estado === 'vigente') return 'VIGENTE';
  if (estado === 'cancelado' || estado === 'cancelada') return 'CANCELADO';
  throw ilegible('estado del comprobante');
}
