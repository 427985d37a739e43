import { readFechaConstancia } from '../fechas.ts';
import type { CeldaPdf, LineaPdf } from '../pdf/pagina-pdf.ts';
import { ilegible, toLabel } from '../texto.ts';

export interface Fila {
  /** The columns of text, wrapped lines joined by a blank. */
  readonly textos: readonly string[];
  readonly desde: string;
  readonly hasta: string | null;
}

interface Columna {
  readonly nombre: string;
  readonly x: number;
  readonly hasta: number;
}

const FECHA = /^\d{1,2}\/\d{1,2}\/\d{4}$/;
/** Parts of the letter size: the distance to the next line of the same row. */
const RENGLON = 1.8;
const MAX_RENGLONES_DE_CABECERA = 3;

/**
 * Reads a table of the document: columns of text, then `Fecha Inicio` and `Fecha Fin`, found by the header, which may
 * be wrapped and is repeated or not on further pages. A row begins with the line that has its start date, as the
 * document sets cells from their top (seen in the texts of phpcfdi/csf-scraper). Throws RESPUESTA_ILEGIBLE when the
 * header, a row's date, or the column of a text cannot be told.
 */
export function readTabla(lineas: readonly LineaPdf[], columnasDeTexto: readonly string[]): readonly Fila[] {
  const nombres = [...columnasDeTexto, 'Fecha Inicio', 'Fecha Fin'].map(toLabel);
  const cabecera = findCabecera(lineas, 0, nombres);
  if (cabecera === null) throw ilegible(`constancia: cabecera de ${columnasDeTexto[0]}`);
  const renglones: Renglon[] = [];
  for (let i = 0; i < lineas.length; i += 1) {
    const repetida = findCabecera(lineas, i, nombres);
    if (repetida !== null) i += repetida.renglones - 1;
    else if (lineas[i] !== undefined) renglones.push(readRenglon(lineas[i] as LineaPdf, cabecera.columnas));
  }
  assertSeparate(renglones);
  return readFilas(renglones, columnasDeTexto.length);
}

function findCabecera(
  lineas: readonly LineaPdf[],
  from: number,
  nombres: readonly string[],
): { columnas: readonly Columna[]; renglones: number } | null {
  for (let renglones = 1; renglones <= MAX_RENGLONES_DE_CABECERA; renglones += 1) {
    const grupo = lineas.slice(from, from + renglones);
    if (grupo.length < renglones || grupo.some(({ pagina }) => pagina !== grupo[0]?.pagina)) return null;
    const columnas = mergeColumns(grupo.flatMap(({ celdas }) => celdas));
    if (columnas.length === nombres.length && columnas.every((c, i) => toLabel(c.nombre) === nombres[i])) {
      return { columnas, renglones };
    }
  }
  return null;
}

/** Cells that are above each other are one column name. */
function mergeColumns(celdas: readonly CeldaPdf[]): readonly Columna[] {
  const columnas: { nombre: string; x: number; hasta: number }[] = [];
  for (const { x, hasta, texto } of celdas) {
    const above = columnas.find((c) => x < c.hasta && c.x < hasta);
    if (above === undefined) columnas.push({ nombre: texto, x, hasta });
    else {
      above.nombre += ` ${texto}`;
      above.x = Math.min(above.x, x);
      above.hasta = Math.max(above.hasta, hasta);
    }
  }
  return columnas.toSorted((a, b) => a.x - b.x);
}

interface Renglon {
  readonly linea: LineaPdf;
  /** By column; null where the line has nothing. */
  readonly celdas: readonly (CeldaPdf | null)[];
}

function readRenglon(linea: LineaPdf, columnas: readonly Columna[]): Renglon {
  const celdas: (CeldaPdf | null)[] = columnas.map(() => null);
  const middles = columnas.map(({ x, hasta }) => (x + hasta) / 2);
  const primeraFecha = columnas.length - 2;
  for (const celda of linea.celdas) {
    const columna = FECHA.test(celda.texto)
      ? nearest((celda.x + celda.hasta) / 2, middles, primeraFecha)
      : columnaDeTexto(celda.x, middles);
    if (columna >= primeraFecha !== FECHA.test(celda.texto) || celdas[columna] !== null) {
      throw ilegible('constancia: columna de un texto');
    }
    celdas[columna] = celda;
  }
  return { linea, celdas };
}

function nearest(x: number, middles: readonly number[], from: number): number {
  let best = from;
  for (let i = from; i < middles.length; i += 1) {
    if (Math.abs((middles[i] ?? 0) - x) < Math.abs((middles[best] ?? 0) - x)) best = i;
  }
  return best;
}

/**
 * Names of columns are set to the left or centred, texts to the left: half way between two names lies before the text
 * of the second.
 */
function columnaDeTexto(x: number, middles: readonly number[]): number {
  let columna = 0;
  for (let i = 1; i < middles.length; i += 1) {
    if (x >= ((middles[i - 1] ?? 0) + (middles[i] ?? 0)) / 2) columna = i;
  }
  return columna;
}

/** A text that reaches into the next column has swallowed the text of that one. */
function assertSeparate(renglones: readonly Renglon[]): void {
  const columnas = renglones[0]?.celdas.length ?? 0;
  for (let i = 1; i < columnas; i += 1) {
    const inicio = Math.min(...renglones.map(({ celdas }) => celdas[i]?.x ?? Number.POSITIVE_INFINITY));
    const fin = Math.max(...renglones.map(({ celdas }) => celdas[i - 1]?.hasta ?? 0));
    if (fin > inicio) throw ilegible('constancia: columnas que se tocan');
  }
}

function readFilas(renglones: readonly Renglon[], columnasDeTexto: number): readonly Fila[] {
  const filas: { textos: string[][]; desde: string; hasta: string | null }[] = [];
  let anterior: LineaPdf | undefined;
  for (const { linea, celdas } of renglones) {
    const textos = celdas.slice(0, columnasDeTexto);
    const [inicio, fin] = celdas.slice(columnasDeTexto);
    if (inicio != null) {
      if (textos[0] == null) throw ilegible('constancia: fila sin descripción');
      filas.push({ textos: textos.map(() => []), desde: toFecha(inicio), hasta: fin == null ? null : toFecha(fin) });
    } else {
      const isFar = anterior?.pagina === linea.pagina && linea.y - anterior.y > RENGLON * linea.cuerpo;
      if (anterior === undefined || isFar || fin != null) throw ilegible('constancia: fila sin fecha');
    }
    for (const [i, celda] of textos.entries()) if (celda != null) filas.at(-1)?.textos[i]?.push(celda.texto);
    anterior = linea;
  }
  return filas.map((fila) => ({ ...fila, textos: fila.textos.map((partes) => partes.join(' ')) }));
}

function toFecha({ texto }: CeldaPdf): string {
  const fecha = readFechaConstancia(texto);
  if (fecha === null) throw ilegible('constancia: fecha de una fila');
  return fecha;
}
