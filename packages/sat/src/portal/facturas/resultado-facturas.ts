import { type FacturaRecibida, SatError } from '@acuse/core';
import type { Hallazgo } from '../busqueda/reunir.ts';
import type { RegistroDelta } from '../paginas/delta.ts';
import { type Etiqueta, readEtiquetas } from '../paginas/etiquetas.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { needColumnas, readTabla } from '../paginas/tablas/tabla.ts';
import { readUuid } from '../paginas/tablas/valores.ts';
import { isVisible, readTextoVisible } from '../paginas/visible.ts';
import { NECESARIAS, ROTULOS, readFactura } from './fila-factura.ts';

/** "La consulta realizada solo muestra los primeros 500 registros." */
const TOPE = 500;

/**
 * Reads the answer to a search: the table `tblResult` inside the results panel, its columns by their headings. It is
 * capped when the portal shows its panel that says so (`PnlLimiteRegistros`) or the table has as many rows as it ever
 * shows.
 *
 * "No rows" is believed when the portal shows its panel that says so and neither results nor a folio anywhere, or when
 * it shows a table with all the headings and nothing else. Throws SERVICIO_CON_ERROR for a shown error panel and
 * RESPUESTA_ILEGIBLE for everything else.
 */
export function readResultadoFacturas(delta: readonly RegistroDelta[], rfc: string): Hallazgo<FacturaRecibida> {
  const paneles = delta
    .filter((r) => r.tipo === 'updatePanel')
    .map(({ id, contenido }) => ({ id, etiquetas: readEtiquetas(contenido) }));
  const resultados = paneles.filter(({ id }) => id.endsWith('_UpnlResultados'));
  const [resultado] = resultados;
  if (resultado === undefined || resultados.length > 1) throw ilegible('busqueda: sin panel de resultados');
  for (const panel of paneles) assertSinError(panel.etiquetas);

  const { etiquetas } = resultado;
  const seleccionables = readSeleccionables(etiquetas);
  const diceQueNoHay = isVisible(etiquetas, /_PnlNoResultados$/);
  if (!isVisible(etiquetas, /_PnlResultados$/)) {
    if (!diceQueNoHay || seleccionables.length > 0 || hasFolios(etiquetas)) throw ilegible('busqueda: paneles');
    return { filas: [], topada: false };
  }
  if (diceQueNoHay) throw ilegible('busqueda: paneles contradictorios');
  const filas = readFilas(etiquetas, rfc);
  const folios = new Set(filas.map(({ uuid }) => uuid));
  // A folio that can be chosen but has no row means that rows were lost.
  if (seleccionables.some((uuid) => !folios.has(uuid))) throw ilegible('busqueda: folio sin fila');
  const diceTope = isVisible(etiquetas, /_PnlLimiteRegistros$/);
  if (diceTope && filas.length === 0) throw ilegible('busqueda: tope sin filas');
  return { filas, topada: diceTope || filas.length >= TOPE };
}

function readFilas(etiquetas: readonly Etiqueta[], rfc: string): FacturaRecibida[] {
  const tabla = readTabla(etiquetas, /_tblResult$/);
  if (tabla === null) throw ilegible('busqueda: sin tabla');
  const columnas = needColumnas(tabla, ROTULOS, NECESARIAS);
  return tabla.filas.map((fila) => readFactura(fila, columnas, rfc));
}

/** What the page says went wrong: its validators' list and its own panel of errors. */
function assertSinError(etiquetas: readonly Etiqueta[]): void {
  for (const id of [/_PnlErrores$/, /_ValidationSummary\d*$/]) {
    if (readTextoVisible(etiquetas, id) !== '') throw new SatError('SERVICIO_CON_ERROR', { codigo: 'BUSQUEDA' });
  }
}

/** Each row carries its folio in a box `ListaFolios`. */
function readSeleccionables(etiquetas: readonly Etiqueta[]): string[] {
  return etiquetas
    .filter((e) => e.nombre === 'input' && e.atributos.get('name') === 'ListaFolios')
    .map((e) => readUuid((e.atributos.get('value') ?? '').trim()));
}

function hasFolios(etiquetas: readonly Etiqueta[]): boolean {
  return etiquetas.some((e) => /^\s*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$/i.test(e.texto));
}
