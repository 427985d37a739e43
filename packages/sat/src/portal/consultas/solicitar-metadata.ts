import { type RespuestaSolicitarMetadata, SatError, type SolicitarMetadata } from '@acuse/core';
import { ilegible, parseObjeto, toForma } from '../../texto.ts';
import type { PageClient } from '../page-client.ts';
import { type Etiqueta, isVisible, readEtiquetas } from '../paginas/etiquetas.ts';
import { askFor } from '../sesion/sesion-vencida.ts';
import { direccionDe, type RegistroDelta, search } from './busqueda.ts';

/**
 * Searches the period and asks for the metadata of what was found: the criteria that the portal encoded go to the page
 * method `DescargaMetadatos` in base64, percent-escaped, inside the single-quoted object that the portal's own script
 * writes (phpcfdi/cfdi-sat-scraper, pull request 97). The portal answers with a folio.
 */
export async function solicitarMetadata(
  pageClient: PageClient,
  consulta: SolicitarMetadata,
): Promise<RespuestaSolicitarMetadata> {
  const { tipo, rfc, periodo } = consulta;
  const resultado = readResultadoBusqueda(await search(pageClient, { tipo, rfc, periodo }));
  if (resultado.vacia) return { resultado: 'VACIA' };

  const { host, path } = direccionDe(tipo);
  const parametros = encodeURIComponent(Buffer.from(resultado.parametros).toString('base64'));
  const json = await askFor(pageClient, {
    host,
    path: `${path}/DescargaMetadatos`,
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      accept: 'application/json, text/javascript, */*; q=0.01',
      'x-requested-with': 'XMLHttpRequest',
      referer: `https://${host}${path}`,
    },
    body: `{'Parametros':'${parametros}'}`,
  });
  const respuesta = parseRespuestaFolio(json);
  return 'folio' in respuesta ? { resultado: 'ACEPTADA', folio: respuesta.folio } : { resultado: 'DEMASIADOS' };
}

/** `parametros`: the encoded criteria (`hfParametrosMetadata`) that ask for the metadata of exactly this search. */
type ResultadoBusqueda = { readonly vacia: true } | { readonly vacia: false; readonly parametros: string };

const UUID_SOLO = /^\s*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$/i;

/**
 * Reads the results panel of `ConsultaEmisor.aspx` or `ConsultaReceptor.aspx`. "No rows" is believed only when the
 * portal shows its own panel that says so, shows no results panel and lists no folio: the criteria field alone tells
 * nothing, since the portal fills it for an empty search as well (phpcfdi/cfdi-sat-scraper, tests of pull request 97).
 * Anything else throws RESPUESTA_ILEGIBLE.
 */
export function readResultadoBusqueda(delta: readonly RegistroDelta[]): ResultadoBusqueda {
  const panel = delta.find((r) => r.tipo === 'updatePanel' && r.id.endsWith('_UpnlResultados'));
  if (panel === undefined) throw ilegible('busqueda: sin panel de resultados');
  const etiquetas = readEtiquetas(panel.contenido);
  const conFilas = etiquetas.some((e) => !e.cierra && (isSeleccion(e) || UUID_SOLO.test(e.texto)));
  const muestraFilas = isVisible(etiquetas, /_PnlResultados$/);
  const diceQueNoHay = isVisible(etiquetas, /_PnlNoResultados$/);

  if (diceQueNoHay && !muestraFilas && !conFilas) return { vacia: true };
  if (diceQueNoHay || !muestraFilas || !conFilas) throw ilegible('busqueda: paneles contradictorios');
  const campo = etiquetas.find((e) => !e.cierra && e.atributos.get('id') === 'hfParametrosMetadata');
  const parametros = campo === undefined ? '' : (campo.atributos.get('value') ?? '');
  if (parametros === '') throw ilegible('busqueda: sin hfParametrosMetadata');
  return { vacia: false, parametros };
}

/** Each row carries its folio in a box `ListaFolios`. */
function isSeleccion(etiqueta: Etiqueta): boolean {
  return etiqueta.nombre === 'input' && etiqueta.atributos.get('name') === 'ListaFolios';
}

type RespuestaFolio = { readonly folio: string } | { readonly demasiados: true };

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * Reads the answer of the page method `DescargaMetadatos`: `{"d":"… folio de descarga: UUID"}`, or a text that begins
 * with `Error:` (phpcfdi/cfdi-sat-scraper, pull request 97). Throws RESPUESTA_ILEGIBLE for anything else and
 * SERVICIO_CON_ERROR for an error that does not speak of the number of rows: no such text is documented, and the portal
 * may accept later.
 */
function parseRespuestaFolio(json: string): RespuestaFolio {
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
