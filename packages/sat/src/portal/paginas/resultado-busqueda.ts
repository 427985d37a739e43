import type { RegistroDelta } from './delta.ts';
import { type Etiqueta, readEtiquetas } from './etiquetas.ts';
import { ilegible } from './ilegible.ts';
import { isVisible } from './visible.ts';

/** `parametros`: the encoded criteria (`hfParametrosMetadata`) that ask for the metadata of exactly this search. */
export type ResultadoBusqueda = { readonly vacia: true } | { readonly vacia: false; readonly parametros: string };

const UUID = /^\s*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$/i;

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
  const conFilas = etiquetas.some((e) => !e.cierra && (isSeleccion(e) || UUID.test(e.texto)));
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
