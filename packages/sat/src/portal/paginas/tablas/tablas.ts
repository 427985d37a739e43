import { type Etiqueta, readTexto } from '../etiquetas.ts';

interface Celda {
  /** A heading (`th`). */
  readonly encabeza: boolean;
  /** Columns that it takes. */
  readonly ancho: number;
  /** The text inside, that of a table within left out. */
  readonly texto: string;
  /** The text inside, that of a table within too. */
  readonly textoEntero: string;
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
  readonly ordenada: boolean;
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
  ordenada: boolean;
}

/**
 * Every table of a page in the order of their beginnings, one within another included, in one pass over the tags. Texts
 * are read when asked for.
 */
export function readTablas(etiquetas: readonly Etiqueta[]): readonly Tabla[] {
  const todas: Abierta[] = [];
  const pila: Abierta[] = [];
  for (const [i, etiqueta] of etiquetas.entries()) {
    const actual = pila.at(-1);
    if (etiqueta.nombre !== 'table') {
      if (actual !== undefined) readParte(actual, etiquetas, i);
    } else if (!etiqueta.cierra) {
      if (actual?.celda === null) actual.ordenada = false;
      actual?.celda?.tablas.push({ desde: i, hasta: etiquetas.length });
      const nueva = openTabla(etiqueta);
      todas.push(nueva);
      pila.push(nueva);
    } else if (actual !== undefined) {
      closeFila(actual, etiquetas, i);
      actual.completa = true;
      pila.pop();
      const dentro = pila.at(-1)?.celda?.tablas.at(-1);
      if (dentro !== undefined) dentro.hasta = i;
    }
  }
  for (const abierta of pila) closeFila(abierta, etiquetas, etiquetas.length);
  return todas.map(({ id, titulo, renglones, completa, ordenada }) => ({
    id,
    titulo: readTexto(titulo),
    renglones,
    encabezados: renglones.filter((fila) => fila.some(({ encabeza }) => encabeza)),
    filas: renglones.filter((fila) => fila.length > 0 && !fila.some(({ encabeza }) => encabeza)),
    completa,
    ordenada,
  }));
}

/** The rows, none when the only one is a single cell over the whole width that says in words that there is nothing. */
export function filasSinAviso({ filas }: Tabla, diceQueNoHay: (texto: string) => boolean): readonly Fila[] {
  const [unica] = filas;
  const esAviso = filas.length === 1 && unica?.length === 1 && diceQueNoHay(unica[0]?.texto ?? '');
  return esAviso ? [] : filas;
}

function openTabla(etiqueta: Etiqueta): Abierta {
  const id = etiqueta.atributos.get('id') ?? '';
  const nada = { fila: null, celda: null, enTitulo: false };
  return { id, titulo: [], renglones: [], ...nada, completa: false, ordenada: true };
}

function readParte(tabla: Abierta, etiquetas: readonly Etiqueta[], i: number): void {
  const etiqueta = etiquetas[i];
  if (etiqueta === undefined) return;
  const { nombre, cierra } = etiqueta;
  if (nombre === 'caption') {
    tabla.enTitulo = !cierra;
    if (!cierra) tabla.titulo.push(etiqueta);
  } else if (nombre === 'tr' || nombre === 'thead' || nombre === 'tbody' || nombre === 'tfoot') {
    tabla.enTitulo = false;
    closeFila(tabla, etiquetas, i);
    if (nombre === 'tr' && !cierra) openFila(tabla);
  } else if (nombre === 'td' || nombre === 'th') {
    closeCelda(tabla, etiquetas, i);
    if (cierra) return;
    if (tabla.fila === null) {
      tabla.ordenada = false;
      openFila(tabla);
    }
    const ancho = Number(etiqueta.atributos.get('colspan') ?? '1');
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
  closeCelda(tabla, etiquetas, hasta);
  tabla.fila = null;
}

function closeCelda(tabla: Abierta, etiquetas: readonly Etiqueta[], hasta: number): void {
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
      return readTexto(etiquetas.slice(desde, hasta));
    },
  });
  tabla.celda = null;
}
