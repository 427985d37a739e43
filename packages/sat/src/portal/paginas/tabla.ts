import { toForma } from '../../texto/forma.ts';
import { type Etiqueta, readAtributo, readTexto } from './etiquetas.ts';
import { ilegible } from './ilegible.ts';

/** A table of results: one row of headings, then rows with as many cells. */
export interface Tabla {
  /** Comparable form of each heading, see {@link normalizeRotulo}. */
  readonly rotulos: readonly string[];
  /** Rows of cells, each cell its tags. */
  readonly filas: readonly (readonly (readonly Etiqueta[])[])[];
}

const MAX_FILAS = 5_000;
const MAX_CELDAS = 64;

/**
 * Reads the table with this id; null when the page has none. Tables inside of a cell belong to that cell. Throws RESPUESTA_ILEGIBLE for a table
 * that does not end, has no headings, or has a row with another number of cells than headings: a cut or shifted table is not a shorter one.
 */
export function readTabla(etiquetas: readonly Etiqueta[], id: RegExp): Tabla | null {
  const from = etiquetas.findIndex((e) => isTabla(e) && id.test(readAtributo(e, 'id') ?? ''));
  if (from === -1) return null;
  const [rotulos, ...filas] = readFilas(etiquetas, from + 1);
  if (rotulos === undefined || rotulos.length === 0) throw ilegible('tabla sin encabezados');
  if (filas.some((fila) => fila.length !== rotulos.length)) throw ilegible('tabla: celdas de una fila');
  return { rotulos: rotulos.map((celda) => normalizeRotulo(readTexto(celda))), filas };
}

function readFilas(etiquetas: readonly Etiqueta[], from: number): Etiqueta[][][] {
  const filas: Etiqueta[][][] = [];
  let fila: Etiqueta[][] | null = null;
  let celda: Etiqueta[] | null = null;
  let anidadas = 0;
  for (const etiqueta of etiquetas.slice(from)) {
    const { nombre, cierra } = etiqueta;
    if (nombre === 'table') {
      if (cierra && anidadas === 0) return filas;
      anidadas += cierra ? -1 : 1;
      if (celda === null) throw ilegible('tabla: otra tabla fuera de una celda');
      celda.push(etiqueta);
    } else if (anidadas > 0) celda?.push(etiqueta);
    else if (nombre === 'tr') {
      fila = cierra ? null : [];
      celda = null;
      if (fila !== null && filas.push(fila) > MAX_FILAS) throw ilegible('tabla con demasiadas filas');
    } else if (nombre === 'td' || nombre === 'th') {
      if (fila === null) throw ilegible('tabla: celda fuera de una fila');
      if (nombre === 'th' && filas.length > 1) throw ilegible('tabla: encabezados repetidos');
      celda = cierra ? null : [etiqueta];
      if (celda !== null && fila.push(celda) > MAX_CELDAS) throw ilegible('tabla con demasiadas celdas');
    } else celda?.push(etiqueta);
  }
  throw ilegible('tabla sin final');
}

/** A heading without accents, letter case, repeated blanks, and the colon or asterisk at its end. */
export function normalizeRotulo(texto: string): string {
  return toForma(texto).replace(/[\s:*]+$/, '');
}

/**
 * Where the columns are: for each, the first of its headings that the table has. A heading that stands twice is RESPUESTA_ILEGIBLE; a column
 * none of whose headings is there has no place.
 */
export function findColumnas<C extends string>(
  tabla: Tabla,
  rotulos: Readonly<Record<C, readonly string[]>>,
): ReadonlyMap<C, number> {
  const columnas = new Map<C, number>();
  for (const [columna, nombres] of Object.entries(rotulos) as Array<[C, readonly string[]]>) {
    const nombre = nombres.find((candidato) => tabla.rotulos.includes(candidato));
    if (nombre === undefined) continue;
    const place = tabla.rotulos.indexOf(nombre);
    if (place !== tabla.rotulos.lastIndexOf(nombre)) throw ilegible(`tabla: dos columnas ${columna}`);
    columnas.set(columna, place);
  }
  return columnas;
}

function isTabla({ nombre, cierra }: Etiqueta): boolean {
  return nombre === 'table' && !cierra;
}
