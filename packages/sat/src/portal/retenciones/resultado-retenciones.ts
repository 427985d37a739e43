import { type Retencion, SatError } from '@acuse/core';
import { ilegible } from '../../texto.ts';
import type { Hallazgo, RowToGather } from '../busqueda/gather.ts';
import { type Etiqueta, findElement, isVisible, readTexto, readTextoVisible } from '../paginas/etiquetas.ts';
import { readEstado, readFecha, readImporte, readRfc, readUuid } from '../paginas/tablas/valores.ts';
import { type Fila, needColumns, readTabla } from '../paginas/tablas.ts';

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
  side: Side,
  rfc: string,
): Hallazgo<FilaRetencion> {
  if (!etiquetas.some((e) => e.nombre === 'html' && e.closes)) throw ilegible('retenciones: página cortada');
  if (readTextoVisible(etiquetas, ERRORES) !== '') {
    throw new SatError('SERVICIO_CON_ERROR', { codigo: 'BUSQUEDA' });
  }
  const filas = readFilas(etiquetas, side, rfc);
  const diceQueNoHay = isSinResultados(etiquetas);
  if (diceQueNoHay !== (filas.length === 0)) throw ilegible('retenciones: ni filas ni aviso de que no hay');
  const pager = findElement(etiquetas, PAGINADOR);
  if (pager !== null && /[2-9]|siguiente/i.test(readTexto(pager))) {
    throw ilegible('retenciones: filas en varias páginas');
  }
  return { filas, topada: isVisible(etiquetas, /LimiteRegistros/i) || filas.length >= TOPE };
}

/** Whether the page says that the search found nothing. */
export function isSinResultados(etiquetas: readonly Etiqueta[]): boolean {
  return readTextoVisible(etiquetas, SIN_RESULTADOS) !== '';
}

function readFilas(etiquetas: readonly Etiqueta[], side: Side, rfc: string): FilaRetencion[] {
  const tabla = readTabla(etiquetas, /(?:^|_)tablaRetenciones$/);
  if (tabla === null || tabla.filas.length === 0) return [];
  const columnas = needColumns(tabla, LABELS, REQUIRED[side]);
  return tabla.filas.map((fila) => readRetencion(fila, columnas, side, rfc));
}

/** A row with the instant of issue, where the portal shows one. */
export interface FilaRetencion extends Omit<Retencion, 'fecha'>, RowToGather {}

/**
 * Headings under which a column is looked for, in their comparable form and order of preference. The portal's own are
 * not known from a public source: these are the headings of the CFDI portal and of the SAT's page that verifies a
 * retención (phpcfdi/sat-estado-retenciones, ResultConverter), and plain variants of them.
 */
const LABELS = {
  uuid: ['folio fiscal', 'uuid'],
  emisorRfc: ['rfc emisor', 'rfc del emisor'],
  receptorRfc: ['rfc receptor', 'rfc del receptor'],
  fechaEmision: ['fecha de emision', 'fecha de expedicion', 'fecha emision', 'fecha expedicion'],
  total: [
    'monto total de la operacion',
    'monto total de operacion',
    'monto total operacion',
    'monto de la operacion',
    'total de la operacion',
    'total del cfdi retencion',
    'total',
  ],
  estado: ['estado del comprobante', 'estado cfdi retencion', 'estado del cfdi', 'estado comprobante', 'estado'],
} as const;

type Columna = keyof typeof LABELS;

export type Side = 'RECIBIDA' | 'EMITIDA';

/** Without these a row is not known. The side of the taxpayer may be left out by the page: it is the taxpayer's. */
const REQUIRED: Readonly<Record<Side, readonly Columna[]>> = {
  RECIBIDA: ['uuid', 'emisorRfc', 'fechaEmision', 'total', 'estado'],
  EMITIDA: ['uuid', 'receptorRfc', 'fechaEmision', 'total', 'estado'],
};

/**
 * Reads one row; RESPUESTA_ILEGIBLE for a cell that does not hold what its heading says, and for a document of another
 * taxpayer.
 */
function readRetencion(fila: Fila, columnas: ReadonlyMap<Columna, number>, side: Side, rfc: string): FilaRetencion {
  const texto = (columna: Columna): string | null => {
    const place = columnas.get(columna);
    return place === undefined ? null : (fila[place]?.textoEntero ?? '');
  };
  const propio = rfc.toUpperCase();
  const propia = side === 'RECIBIDA' ? 'receptorRfc' : 'emisorRfc';
  const mostrado = texto(propia);
  if (mostrado !== null && readRfc(mostrado) !== propio) throw ilegible('retenciones: de otro contribuyente');
  const receptor = texto('receptorRfc') ?? '';
  return {
    uuid: readUuid(texto('uuid') ?? ''),
    tipo: side,
    emisorRfc: side === 'EMITIDA' ? propio : readRfc(texto('emisorRfc') ?? ''),
    receptorRfc: side === 'RECIBIDA' ? propio : receptor === '' ? null : readRfc(receptor),
    total: readImporte(texto('total') ?? ''),
    fechaEmision: readFecha(texto('fechaEmision') ?? ''),
    estado: readEstado(texto('estado') ?? ''),
  };
}
