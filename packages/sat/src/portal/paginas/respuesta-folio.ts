import { SatError } from '@acuse/core';
import { toForma } from '../../texto/forma.ts';
import { parseObjeto } from '../../texto/objeto-json.ts';
import { ilegible } from './ilegible.ts';

export type RespuestaFolio = { readonly folio: string } | { readonly demasiados: true };

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * Reads the answer of the page method `DescargaMetadatos`: `{"d":"… folio de descarga: UUID"}`, or a text that begins
 * with `Error:` (phpcfdi/cfdi-sat-scraper, pull request 97). Throws RESPUESTA_ILEGIBLE for anything else and
 * SERVICIO_CON_ERROR for an error that does not speak of the number of rows: no such text is documented, and the portal
 * may accept later.
 */
export function parseRespuestaFolio(json: string): RespuestaFolio {
  const mensaje = readMensaje(json);
  if (/^\s*error\b/i.test(mensaje)) {
    if (isDemasiados(mensaje)) return { demasiados: true };
    throw new SatError('SERVICIO_CON_ERROR', { codigo: 'DescargaMetadatos' });
  }
  const folios = new Set(mensaje.match(UUID)?.map((folio) => folio.toUpperCase()));
  const [folio] = folios;
  if (folio === undefined || folios.size > 1 || !/folio/i.test(mensaje)) throw ilegible('folio de descarga');
  return { folio };
}

function readMensaje(json: string): string {
  if (json.length > 65_536) throw ilegible('folio de descarga');
  const d = parseObjeto(json)?.['d'];
  if (typeof d !== 'string') throw ilegible('folio de descarga: sin d');
  return d;
}

function isDemasiados(mensaje: string): boolean {
  const texto = toForma(mensaje);
  return (
    /registro|comprobante|cfdi|documento|metadato|resultado/.test(texto) &&
    /exced|supera|sobrepas|rebas|limite|maxim|tope|demasiad/.test(texto)
  );
}
