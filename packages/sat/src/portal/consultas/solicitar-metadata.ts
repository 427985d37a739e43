import { type RespuestaSolicitarMetadata, SatError, type SolicitarMetadata } from '@acuse/core';
import { ilegible, parseObjeto, toForma } from '../../texto.ts';
import type { PageClient } from '../page-client.ts';
import { askFor } from '../sesion/sesion-vencida.ts';
import { direccionDe, hasFolios, type RegistroDelta, readPaneles, readPanelResultados, search } from './busqueda.ts';

/**
 * Searches the period and requests the metadata of the results. The encoded criteria go to the page method
 * `DescargaMetadatos` in base64, percent-escaped, inside the single-quoted object that the portal's own script writes
 * (phpcfdi/cfdi-sat-scraper, pull request 97). The portal answers with a folio.
 */
export async function solicitarMetadata(
  pageClient: PageClient,
  consulta: SolicitarMetadata,
): Promise<RespuestaSolicitarMetadata> {
  const { tipo, rfc, periodo, filtros } = consulta;
  // The other filters are left to the assembly, which the metadata tells them.
  const busqueda = { tipo, rfc, periodo, complemento: filtros?.complemento };
  const criterios = readParametros(await search(pageClient, busqueda));
  if (criterios === null) return { resultado: 'VACIA' };

  const { host, path } = direccionDe(tipo);
  const parametros = encodeURIComponent(Buffer.from(criterios).toString('base64'));
  const json = await askFor(pageClient, {
    host,
    path: `${path}/DescargaMetadatos`,
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      accept: 'application/json, text/javascript, */*; q=0.01',
      'x-requested-with': 'XMLHttpRequest',
    },
    body: `{'Parametros':'${parametros}'}`,
  });
  return parseRespuestaFolio(json);
}

/**
 * The encoded criteria (`hfParametrosMetadata`) that ask for the metadata of exactly this search; null when it found
 * nothing. They alone tell nothing, since the portal fills them for an empty search as well (phpcfdi/cfdi-sat-scraper,
 * tests of pull request 97). Throws RESPUESTA_ILEGIBLE for an answer that is neither.
 */
export function readParametros(delta: readonly RegistroDelta[]): string | null {
  const etiquetas = readPanelResultados(readPaneles(delta));
  if (etiquetas === null) return null;
  if (!hasFolios(etiquetas)) throw ilegible('busqueda: resultados sin folios');
  const campo = etiquetas.find((e) => !e.closes && e.attrs.get('id') === 'hfParametrosMetadata');
  const parametros = campo?.attrs.get('value') ?? '';
  if (parametros === '') throw ilegible('busqueda: sin hfParametrosMetadata');
  return parametros;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * Reads the answer of the page method `DescargaMetadatos`: `{"d":"… folio de descarga: UUID"}`, or a text that begins
 * with `Error:` (phpcfdi/cfdi-sat-scraper, pull request 97). Throws RESPUESTA_ILEGIBLE for anything else and
 * SERVICIO_CON_ERROR for an error that does not speak of the number of rows: no such text is documented, and the portal
 * may accept later.
 */
function parseRespuestaFolio(json: string): RespuestaSolicitarMetadata {
  const mensaje = readMessage(json);
  if (/^\s*error\b/i.test(mensaje)) {
    if (isDemasiados(mensaje)) return { resultado: 'DEMASIADOS' };
    throw new SatError('SERVICIO_CON_ERROR', { codigo: 'DescargaMetadatos' });
  }
  const folios = new Set(mensaje.match(UUID)?.map((folio) => folio.toUpperCase()));
  const [folio] = folios;
  if (folio === undefined || folios.size > 1 || !/folio/i.test(mensaje)) throw ilegible('folio de descarga');
  return { resultado: 'ACEPTADA', folio };
}

function readMessage(json: string): string {
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
