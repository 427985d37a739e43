/** What a page of a PDF says. Lengths are points (1/72 inch) from the upper left corner, as the page is seen. */
export interface PaginaPdf {
  /** From 1. */
  readonly numero: number;
  readonly ancho: number;
  readonly alto: number;
  /** From top to bottom. Columns side by side are mixed; the `x` of the cells separates them. */
  readonly lineas: readonly LineaPdf[];
}

/** The pieces of text on one baseline. */
export interface LineaPdf {
  readonly pagina: number;
  /** Of the baseline. */
  readonly y: number;
  /** Size of the largest letter. */
  readonly cuerpo: number;
  /** From left to right, at least one. */
  readonly celdas: readonly CeldaPdf[];
  /** The texts of the cells with two blanks in between. */
  readonly texto: string;
}

/**
 * Text without a gap wider than half a letter size. Runs of white space are one blank, accents are composed (NFC),
 * never empty.
 */
export interface CeldaPdf {
  readonly x: number;
  /** Where its last letter ends. */
  readonly hasta: number;
  readonly texto: string;
}

/** Every line of a document, in order. */
export function lineasDe(paginas: readonly PaginaPdf[]): readonly LineaPdf[] {
  return paginas.flatMap((pagina) => pagina.lineas);
}

export interface LimitesPdf {
  readonly maxPaginas: number;
  /** Runs of text in the whole document. */
  readonly maxTrazos: number;
  /** Characters in the whole document. */
  readonly maxCaracteres: number;
}

export type MotivoPdf =
  | 'no es un PDF'
  | 'PDF incompleto'
  | 'PDF dañado'
  | 'PDF cifrado'
  | 'PDF con demasiadas páginas'
  | 'PDF con demasiado texto'
  | 'PDF sin texto';

/** What the pool sends to one of its threads, which says `listo` once before it takes any. */
export interface Task {
  readonly bytes: Uint8Array;
  readonly limites: LimitesPdf;
  /** Largest single piece of memory that reading may ask for, bytes. */
  readonly maxBloqueBytes: number;
}

/** What the thread answers. */
export type Resultado = { readonly paginas: readonly PaginaPdf[] } | { readonly motivo: MotivoPdf };
