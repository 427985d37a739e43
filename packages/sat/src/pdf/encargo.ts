import type { LimitesPdf, MotivoPdf } from './documento.ts';
import type { PaginaPdf } from './pagina-pdf.ts';

/** What the pool sends to one of its threads, which says `listo` once before it takes any. */
export interface Encargo {
  readonly bytes: Uint8Array;
  readonly limites: LimitesPdf;
  /** Largest single piece of memory that reading may ask for, bytes. */
  readonly maxBloqueBytes: number;
}

/** What the thread answers. */
export type Resultado = { readonly paginas: readonly PaginaPdf[] } | { readonly motivo: MotivoPdf };
