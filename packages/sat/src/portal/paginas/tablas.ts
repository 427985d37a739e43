import { ilegible, toLabel } from '../../texto.ts';
import { type Etiqueta, readTexto } from './etiquetas.ts';

interface Celda {
  /** A heading (`th`). */
  readonly encabeza: boolean;
  /** Columns that it takes. */
  readonly ancho: number;
  /** The text inside, that of a table within left out. */
  readonly texto: string;
  /** The text inside, that of a table within too. */
  readonly textoEntero: string;
  /** The tags inside, those of a table within too. */
  readonly etiquetas: readonly Etiqueta[];
}

export type Fila = readonly Celda[];

export interface Tabla {
  readonly id: string;
  readonly titulo: string;
  /** Every row as it stands, empty ones too. */
  readonly renglones: readonly Fila[];
  /** The rows with `th` cells, in order; nothing but headings in a table that marks them. */
  readonly encabezados: readonly Fila[];
  /** The rows of `td` cells, in order, without empty ones. */
  readonly filas: readonly Fila[];
  /** False when the page ended inside. */
  readonly completa: boolean;
  /** Every cell stands in a row, and every table within in a cell. */
  readonly isOrdered: boolean;
}

interface CeldaAbierta {
  readonly encabeza: boolean;
  readonly ancho: number;
  readonly desde: number;
  /** Where the tables within are: the place of their tag and of the one that closes it. */
  readonly tablas: { readonly desde: number; hasta: number }[];
}

interface Abierta {
  readonly id: string;
  readonly titulo: Etiqueta[];
  readonly renglones: Celda[][];
  fila: Celda[] | null;
  celda: CeldaAbierta | null;
  enTitulo: boolean;
  completa: boolean;
  isOrdered: boolean;
}

/**
 * Every table of a page in the order of their beginnings, one within another included, in one pass over the tags. Texts
 * are read when asked for.
 */
export function readTablas(etiquetas: readonly Etiqueta[]): readonly Tabla[] {
  const todas: Abierta[] = [];
  const stack: Abierta[] = [];
  for (const [i, etiqueta] of etiquetas.entries()) {
    const actual = stack.at(-1);
    if (etiqueta.nombre !== 'table') {
      if (actual !== undefined) readParte(actual, etiquetas, i);
    } else if (!etiqueta.closes) {
      if (actual?.celda === null) actual.isOrdered = false;
      actual?.celda?.tablas.push({ desde: i, hasta: etiquetas.length });
      const nueva = openTabla(etiqueta);
      todas.push(nueva);
      stack.push(nueva);
    } else if (actual !== undefined) {
      closeFila(actual, etiquetas, i);
      actual.completa = true;
      stack.pop();
      const within = stack.at(-1)?.celda?.tablas.at(-1);
      if (within !== undefined) within.hasta = i;
    }
  }
  for (const abierta of stack) closeFila(abierta, etiquetas, etiquetas.length);
  return todas.map(({ id, titulo, renglones, completa, isOrdered }) => ({
    id,
    titulo: readTexto(titulo),
    renglones,
    encabezados: renglones.filter((fila) => fila.some(({ encabeza }) => encabeza)),
    filas: renglones.filter((fila) => fila.length > 0 && !fila.some(({ encabeza }) => encabeza)),
    completa,
    isOrdered,
  }));
}

/** The rows; none when the only row is a single cell over the whole width with the sentence of an empty list. */
export function filasSinAviso({ filas }: Tabla, diceQueNoHay: (texto: string) => boolean): readonly Fila[] {
  const [unica] = filas;
  const esAviso = filas.length === 1 && unica?.length === 1 && diceQueNoHay(unica[0]?.texto ?? '');
  return esAviso ? [] : filas;
}

function openTabla(etiqueta: Etiqueta): Abierta {
  const id = etiqueta.attrs.get('id') ?? '';
  const nada = { fila: null, celda: null, enTitulo: false };
  return { id, titulo: [], renglones: [], ...nada, completa: false, isOrdered: true };
}

function readParte(tabla: Abierta, etiquetas: readonly Etiqueta[], i: number): void {
  const etiqueta = etiquetas[i];
  if (etiqueta === undefined) return;
  const { nombre, closes } = etiqueta;
  if (nombre === 'caption') {
    tabla.enTitulo = !closes;
    if (!closes) tabla.titulo.push(etiqueta);
  } else if (nombre === 'tr' || nombre === 'thead' || nombre === 'tbody' || nombre === 'tfoot') {
    tabla.enTitulo = false;
    closeFila(tabla, etiquetas, i);
    if (nombre === 'tr' && !closes) openFila(tabla);
  } else if (nombre === 'td' || nombre === 'th') {
    closeCell(tabla, etiquetas, i);
    if (closes) return;
    if (tabla.fila === null) {
      tabla.isOrdered = false;
      openFila(tabla);
    }
    const ancho = Number(etiqueta.attrs.get('colspan') ?? '1');
    tabla.celda = {
      encabeza: nombre === 'th',
      ancho: Number.isInteger(ancho) && ancho > 0 ? ancho : 1,
      desde: i,
      tablas: [],
    };
  } else if (tabla.enTitulo) tabla.titulo.push(etiqueta);
}

function openFila(tabla: Abierta): void {
  tabla.fila = [];
  tabla.renglones.push(tabla.fila);
}

function closeFila(tabla: Abierta, etiquetas: readonly Etiqueta[], hasta: number): void {
  closeCell(tabla, etiquetas, hasta);
  tabla.fila = null;
}

function closeCell(tabla: Abierta, etiquetas: readonly Etiqueta[], hasta: number): void {
  if (tabla.celda === null) return;
  const { encabeza, ancho, desde, tablas } = tabla.celda;
  tabla.fila?.push({
    encabeza,
    ancho,
    get texto() {
      const cortes = [{ desde, hasta: desde }, ...tablas, { desde: hasta, hasta }];
      return readTexto(cortes.flatMap((corte, i) => etiquetas.slice(cortes[i - 1]?.hasta ?? desde, corte.desde)));
    },
    get textoEntero() {
      return readTexto(this.etiquetas);
    },
    get etiquetas() {
      return etiquetas.slice(desde, hasta);
    },
  });
  tabla.celda = null;
}

/** A table of results: one row of headings, then rows with as many cells. */
interface TablaDeResultados {
  /** Comparable form of each heading, see {@link toRotulo}. */
  readonly labels: readonly string[];
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
  const tabla = readTablas(etiquetas).find((candidate) => id.test(candidate.id));
  if (tabla === undefined) return null;
  const [labels, ...filas] = tabla.renglones;
  if (!tabla.completa) throw ilegible('tabla sin final');
  if (!tabla.isOrdered) throw ilegible('tabla: celda fuera de una fila, o tabla fuera de una celda');
  if (labels === undefined || labels.length === 0) throw ilegible('tabla sin encabezados');
  if (labels.length > MAX_CELDAS) throw ilegible('tabla con demasiadas celdas');
  if (filas.length >= MAX_FILAS) throw ilegible('tabla con demasiadas filas');
  if (filas.some((fila) => fila.length !== labels.length)) throw ilegible('tabla: celdas de una fila');
  if (filas.some((fila) => fila.some(({ encabeza }) => encabeza))) throw ilegible('tabla: encabezados repetidos');
  return { labels: labels.map(({ textoEntero }) => toLabel(textoEntero)), filas };
}

/** The headings under which each column may stand, in order of preference. */
type LabelsOf<C extends string> = Readonly<Record<C, readonly (string | RegExp)[]>>;

/**
 * Where the columns are: for each, the first of its headings that the table has. A heading that stands twice is
 * RESPUESTA_ILEGIBLE; a column none of whose headings is there has no place.
 */
export function findColumns<C extends string>(
  { labels }: Pick<TablaDeResultados, 'labels'>,
  nombres: LabelsOf<C>,
): ReadonlyMap<C, number> {
  const columnas = new Map<C, number>();
  for (const [columna, candidates] of Object.entries(nombres) as Array<[C, LabelsOf<C>[C]]>) {
    for (const match of candidates) {
      const lugares = labels.flatMap((heading, i) => (isLabel(heading, match) ? [i] : []));
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
export function needColumns<C extends string>(
  tabla: Pick<TablaDeResultados, 'labels'>,
  nombres: LabelsOf<C>,
  required: readonly C[],
): ReadonlyMap<C, number> {
  const columnas = findColumns(tabla, nombres);
  const falta = required.find((columna) => !columnas.has(columna));
  if (falta !== undefined) throw ilegible(`tabla: sin columna ${falta}`);
  return columnas;
}

function isLabel(heading: string, match: string | RegExp): boolean {
  return typeof match === 'string' ? heading === match : match.test(heading);
}

/** Notes a row under its key, once: RESPUESTA_ILEGIBLE when the key has come with other contents before. */
export function addOnce<F>(vistas: Map<string, F>, clave: string, fila: F): void {
  const conocida = vistas.get(clave);
  if (conocida !== undefined && JSON.stringify(conocida) !== JSON.stringify(fila)) {
    throw ilegible('un número con dos contenidos');
  }
  vistas.set(clave, fila);
}
