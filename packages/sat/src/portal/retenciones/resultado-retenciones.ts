import { SatError } from '@acuse/core';
import type { Hallazgo } from '../busqueda/reunir.ts';
import { type Etiqueta, findElemento, readTexto } from '../paginas/etiquetas.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { needColumnas, readTabla } from '../paginas/tablas/tabla.ts';
import { isVisible, readTextoVisible } from '../paginas/visible.ts';
import { type FilaRetencion, type Lado, NECESARIAS, ROTULOS, readRetencion } from './fila-retencion.ts';

/**
 * What the CFDI portal shows at most; that this one does the same is assumed, so that a full page is never taken for
 * all.
 */
const TOPE = 500;
const SIN_RESULTADOS = /(?:^|_)divNoResultados(?:Receptor)?$/;
const ERRORES = /(?:PnlErrores|ValidationSummary\d*)$/;
const PAGINADOR = /page_?nav|paginad|pager/i;

/**
 * Reads the page after a search: `tablaRetenciones`, or `divNoResultados` (issued) and `divNoResultadosReceptor`
 * (received) when there is nothing (one public description of the live pages, March 2026, from a taxpayer without
 * rows). An empty table alone is not believed: the page has one before any search. Throws SERVICIO_CON_ERROR for a
 * shown error and RESPUESTA_ILEGIBLE for a page that is cut, contradicts itself, or shows its rows on several pages.
 */
export function readResultadoRetenciones(
  etiquetas: readonly Etiqueta[],
  lado: Lado,
  rfc: string,
): Hallazgo<FilaRetencion> {
  if (!etiquetas.some((e) => e.nombre === 'html' && e.cierra)) throw ilegible('retenciones: página cortada');
  if (readTextoVisible(etiquetas, ERRORES) !== '') {
    throw new SatError('SERVICIO_CON_ERROR', { codigo: 'BUSQUEDA' });
  }
  const filas = readFilas(etiquetas, lado, rfc);
  const diceQueNoHay = isSinResultados(etiquetas);
  if (diceQueNoHay !== (filas.length === 0)) throw ilegible('retenciones: ni filas ni aviso de que no hay');
  const paginador = findElemento(etiquetas, PAGINADOR);
  if (paginador !== null && /[2-9]|siguiente/i.test(readTexto(paginador))) {
    throw ilegible('retenciones: filas en varias páginas');
  }
  return { filas, topada: isVisible(etiquetas, /LimiteRegistros/i) || filas.length >= TOPE };
}

/** Whether the page says that the search found nothing. */
export function isSinResultados(etiquetas: readonly Etiqueta[]): boolean {
  return readTextoVisible(etiquetas, SIN_RESULTADOS) !== '';
}

function readFilas(etiquetas: readonly Etiqueta[], lado: Lado, rfc: string): FilaRetencion[] {
  const tabla = readTabla(etiquetas, /(?:^|_)tablaRetenciones$/);
  if (tabla === null || tabla.filas.length === 0) return [];
  const columnas = needColumnas(tabla, ROTULOS, NECESARIAS[lado]);
  return tabla.filas.map((fila) => readRetencion(fila, columnas, lado, rfc));
}
