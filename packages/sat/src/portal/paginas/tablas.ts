import { type Etiqueta, readAtributo, readTexto } from './etiquetas.ts';

export interface Celda {
  readonly texto: string;
  /** Columns that it takes. */
  readonly ancho: number;
  /** The tags inside, those of a table within left out. */
  readonly etiquetas: readonly Etiqueta[];
}

export interface Tabla {
  readonly id: string;
  readonly titulo: string;
  /** The rows with `th` cells, in order; nothing but headings in a table that marks them. */
  readonly encabezados: readonly (readonly Celda[])[];
  readonly filas: readonly (readonly Celda[])[];
  /** False when the page ended inside. */
  readonly completa: boolean;
}

interface Abierta {
  readonly id: string;
  readonly titulo: Etiqueta[];
  readonly encabezados: Celda[][];
  readonly filas: Celda[][];
  fila: { celdas: Celda[]; conEncabezado: boolean } | null;
  celda: { etiquetas: Etiqueta[]; ancho: number } | null;
  enTitulo: boolean;
}

/** Every table of a page in the order of their beginnings, one within another included, in one pass over the tags. */
export function readTablas(etiquetas: readonly Etiqueta[]): readonly Tabla[] {
  const todas: { abierta: Abierta; completa: boolean }[] = [];
  const pila: { abierta: Abierta; completa: boolean }[] = [];
  for (const etiqueta of etiquetas) {
    if (etiqueta.nombre === 'table') {
      if (etiqueta.cierra) {
        const ultima = pila.pop();
        if (ultima === undefined) continue;
        closeFila(ultima.abierta);
        ultima.completa = true;
        pila.at(-1)?.abierta.celda?.etiquetas.push(etiqueta);
      } else {
        const nueva = { abierta: openTabla(etiqueta), completa: false };
        todas.push(nueva);
        pila.push(nueva);
      }
      continue;
    }
    const actual = pila.at(-1);
    if (actual !== undefined) readParte(actual.abierta, etiqueta);
  }
  for (const { abierta } of pila) closeFila(abierta);
  return todas.map(({ abierta, completa }) => ({
    id: abierta.id,
    titulo: readTexto(abierta.titulo),
    encabezados: abierta.encabezados,
    filas: abierta.filas,
    completa,
  }));
}

function openTabla(etiqueta: Etiqueta): Abierta {
  const id = readAtributo(etiqueta, 'id') ?? '';
  return { id, titulo: [], encabezados: [], filas: [], fila: null, celda: null, enTitulo: false };
}

function readParte(tabla: Abierta, etiqueta: Etiqueta): void {
  const { nombre, cierra } = etiqueta;
  if (nombre === 'caption') {
    tabla.enTitulo = !cierra;
    if (!cierra) tabla.titulo.push(etiqueta);
    return;
  }
  if (nombre === 'tr' || nombre === 'thead' || nombre === 'tbody' || nombre === 'tfoot') {
    tabla.enTitulo = false;
    closeFila(tabla);
    if (nombre === 'tr' && !cierra) tabla.fila = { celdas: [], conEncabezado: false };
    return;
  }
  if (nombre === 'td' || nombre === 'th') {
    closeCelda(tabla);
    if (cierra) return;
    tabla.fila ??= { celdas: [], conEncabezado: false };
    tabla.fila.conEncabezado ||= nombre === 'th';
    const ancho = Number(readAtributo(etiqueta, 'colspan') ?? '1');
    tabla.celda = { etiquetas: [etiqueta], ancho: Number.isInteger(ancho) && ancho > 0 ? ancho : 1 };
    return;
  }
  if (tabla.enTitulo) tabla.titulo.push(etiqueta);
  else tabla.celda?.etiquetas.push(etiqueta);
}

function closeCelda(tabla: Abierta): void {
  if (tabla.celda === null) return;
  const { etiquetas, ancho } = tabla.celda;
  tabla.fila?.celdas.push({ texto: readTexto(etiquetas), ancho, etiquetas });
  tabla.celda = null;
}

function closeFila(tabla: Abierta): void {
  closeCelda(tabla);
  if (tabla.fila === null) return;
  if (tabla.fila.celdas.length > 0) {
    (tabla.fila.conEncabezado ? tabla.encabezados : tabla.filas).push(tabla.fila.celdas);
  }
  tabla.fila = null;
}
