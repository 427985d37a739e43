import type { ClaveListado, OtraLista } from './listados.ts';

/** Where a taxpayer stands in the list of article 69-B of the Código Fiscal de la Federación. */
const SITUACIONES_EFOS = ['PRESUNTO', 'DESVIRTUADO', 'DEFINITIVO', 'SENTENCIA_FAVORABLE'] as const;
export type SituacionEfos = (typeof SITUACIONES_EFOS)[number];

/** The list's own words. */
export const PALABRAS_EFOS = {
  PRESUNTO: 'Presunto',
  DESVIRTUADO: 'Desvirtuado',
  DEFINITIVO: 'Definitivo',
  SENTENCIA_FAVORABLE: 'Sentencia Favorable',
} as const satisfies Record<SituacionEfos, string>;

/** One stage of a proceeding. Dates are calendar days, `yyyy-MM-dd`; null when the list gives none that can be read. */
export interface PasoEfos {
  readonly situacion: SituacionEfos;
  /** Number and date of the global notice, as the list has it. */
  readonly oficio: string | null;
  /** Publication on the SAT's page. */
  readonly fechaSat: string | null;
  /** Publication in the Diario Oficial de la Federación. */
  readonly fechaDof: string | null;
}

/** One proceeding of the list. An RFC may have several, years apart, and they end differently. */
export interface FilaEfos {
  /** Null when the list hides it (a court's order) or has none: the row names no taxpayer. */
  readonly rfc: string | null;
  readonly nombre: string;
  readonly situacion: SituacionEfos;
  /** The stages that the row gives anything about, in the order of the columns. */
  readonly historial: readonly PasoEfos[];
}

/** One row of any other list. An RFC may have several. */
export interface FilaListado {
  /** Null when the list hides it or has none that can be read: the row names no taxpayer. */
  readonly rfc: string | null;
  readonly nombre: string;
  /** Why it stands there, in the list's own word. */
  readonly supuesto: string;
  /** When that was published first, `yyyy-MM-dd`; null when the list gives none that can be read. */
  readonly publicada: string | null;
}

/** What identifies a version of the list at its source, to ask for changes only. */
export interface HuellaLista {
  readonly fuente: string;
  readonly etag: string | null;
  /** HTTP date as it came. */
  readonly ultimaModificacion: string | null;
}

/** A list on its way: what its head says is known, its rows are still to come. */
export interface ListaAbierta<F> extends HuellaLista {
  /** Day of the cut, `yyyy-MM-dd`: from the list's own first line, else the day on which its source last changed it. */
  readonly fechaCorte: string;
  /**
   * Every row, in batches, once. Rejects with a `SatError` when the rest is not the list: then nothing of it counts.
   */
  readonly batches: AsyncIterable<readonly F[]>;
  /** SHA-256 of the bytes, hexadecimal. Known when `batches` has ended. */
  sha256(): string;
  /** Lets go of the source; for one that is not read to its end. */
  close(): void;
}

/** Reads the list from the authority; null when it has not changed since `previa`. Rejects with a `SatError`. */
export type OpenLista<F> = (previa: HuellaLista | null, signal: AbortSignal) => Promise<ListaAbierta<F> | null>;

/** The version of a list that answers are given from. */
export interface VersionLista extends HuellaLista {
  readonly id: string;
  readonly fechaCorte: string;
  readonly filas: number;
  readonly sha256: string;
  readonly cargadaEn: Date;
  /** When the source last confirmed that it is the newest. */
  readonly revisadaEn: Date;
}

type MotivoListaRechazada = 'LISTA_ANTERIOR' | 'LISTA_MENGUADA';

/** A list that was read well and is not to take the place of the one that is there. */
export class ListaRechazada extends Error {
  readonly motivo: MotivoListaRechazada;
  constructor(motivo: MotivoListaRechazada, detalle: string) {
    super(`${motivo}: ${detalle}`);
    this.name = 'ListaRechazada';
    this.motivo = motivo;
  }
}

export type ResultadoCarga =
  | { readonly resultado: 'CARGADA'; readonly version: VersionLista }
  | { readonly resultado: 'SIN_CAMBIO'; readonly version: VersionLista }
  | { readonly resultado: 'OTRA_EN_CURSO' };

/** Why the list should be fetched now. */
export type CargaPendiente = 'PEDIDA' | 'SIN_LISTA' | 'REINTENTO' | 'VENCIDA';

/** An attempt to bring the list up to date, for the operator. */
export interface CargaLista {
  readonly iniciadaEn: Date;
  readonly terminadaEn: Date | null;
  readonly resultado: 'EN_CURSO' | 'CARGADA' | 'SIN_CAMBIO' | 'FALLIDA';
  readonly motivo: string | null;
}

/** Another list than those of EFOS and EDOS, with its loaded files. */
export interface ListadoConsultado {
  readonly lista: OtraLista;
  readonly archivo: ClaveListado;
  readonly fechaCorte: string;
}

/** Another list on which an RFC stands, once for each reason. */
export interface Aparicion {
  readonly lista: OtraLista;
  readonly archivo: ClaveListado;
  readonly supuesto: string;
  /** Whether it speaks against him to stand there. */
  readonly adverso: boolean;
  /** The oldest publication, `yyyy-MM-dd`; null when no row tells one. */
  readonly desde: string | null;
}

/** What the lists say about one RFC. */
export interface RfcEnListas {
  readonly efos: readonly Pick<FilaEfos, 'situacion' | 'historial'>[];
  readonly enEdos: boolean;
  readonly listas: readonly Aparicion[];
}

/** What the lists of one moment say about some RFCs. */
export interface RespuestaListas {
  /** Cut of the list of article 69-B; null before the first load: no taxpayer is known. */
  readonly fechaCorte: string | null;
  /** Name of the list of EDOS; null when the operator has imported none. */
  readonly edosFuente: string | null;
  readonly consultadas: readonly ListadoConsultado[];
  /** One for each RFC that was asked for, in that order. */
  readonly rfcs: readonly RfcEnListas[];
}

export interface EstadoEdos {
  readonly fuente: string;
  readonly importadaEn: Date;
  readonly rfcs: number;
}
