import { toRotulo } from '../../../texto/forma.ts';
import type { Etiqueta } from '../etiquetas.ts';
import { ilegible } from '../ilegible.ts';
import { type Fila, readTablas } from './tablas.ts';

/** A table of results: one row of headings, then rows with as many cells. */
export interface TablaDeResultados {
  /** Comparable form of each heading, see {@link toRotulo}. */
  readonly rotulos: readonly string[];
  readonly filas: readonly Fila[];
}

const MAX_FILAS = 5_000;
const MAX_CELDAS = 64;

/**
 * Reads the table with this id; null when the page has none. Tables inside of a cell belong to that cell. Throws
 * RESPUESTA_ILEGIBLE for a table that does not end, has no headings, or has a row with another number of cells than
 * headings: a cut or shifted table is not a shorter one.
 */
export function readTabla(etiquetas: readonly Etiqueta[], id: RegExp): TablaDeResultados | null {
  const tabla = readTablas(etiquetas).find((candidata) => id.test(candidata.id));
  if (tabla === undefined) return null;
  const [rotulos, ...filas] = tabla.renglones;
  if (!tabla.completa) throw ilegible('tabla sin final');
  if (!tabla.ordenada) throw ilegible('tabla: celda fuera de una fila, o tabla fuera de una celda');
  if (rotulos === undefined || rotulos.length === 0) throw ilegible('tabla sin encabezados');
  if (rotulos.length > MAX_CELDAS) throw ilegible('tabla con demasiadas celdas');
  if (filas.length >= MAX_FILAS) throw ilegible('tabla con demasiadas filas');
  if (filas.some((fila) => fila.length !== rotulos.length)) throw ilegible('tabla: celdas de una fila');
  if (filas.some((fila) => fila.some(({ encabeza }) => encabeza))) throw ilegible('tabla: encabezados repetidos');
  return { rotulos: rotulos.map(({ textoEntero }) => toRotulo(textoEntero)), filas };
}

/** The headings under which each column may stand, in order of preference. */
export type RotulosDe<C extends string> = Readonly<Record<C, readonly (string | RegExp)[]>>;

/**
 * Where the columns are: for each, the first of its headings that the table has. A heading that stands twice is
 * RESPUESTA_ILEGIBLE; a column none of whose headings is there has no place.
 */
export function findColumnas<C extends string>(
  { rotulos }: Pick<TablaDeResultados, 'rotulos'>,
  nombres: RotulosDe<C>,
): ReadonlyMap<C, number> {
  const columnas = new Map<C, number>();
  for (const [columna, candidatos] of Object.entries(nombres) as Array<[C, RotulosDe<C>[C]]>) {
    for (const candidato of candidatos) {
      const lugares = rotulos.flatMap((rotulo, i) => (isRotulo(rotulo, candidato) ? [i] : []));
      const [lugar] = lugares;
      if (lugar === undefined) continue;
      if (lugares.length > 1) throw ilegible(`tabla: dos columnas ${columna}`);
      columnas.set(columna, lugar);
      break;
    }
  }
  return columnas;
}

/**
 * The columns of a table that cannot be read without some of them: RESPUESTA_ILEGIBLE when one of those is not there.
 */
export function needColumnas<C extends string>(
  tabla: Pick<TablaDeResultados, 'rotulos'>,
  nombres: RotulosDe<C>,
  necesarias: readonly C[],
): ReadonlyMap<C, number> {
  const columnas = findColumnas(tabla, nombres);
  const falta = necesarias.find((columna) => !columnas.has(columna));
  if (falta !== undefined) throw ilegible(`tabla: sin columna ${falta}`);
  return columnas;
}

function isRotulo(rotulo: string, candidato: string | RegExp): boolean {
  return typeof candidato === 'string' ? rotulo === candidato : candidato.test(rotulo);
}
