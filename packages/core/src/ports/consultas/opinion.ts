import type { Credencial } from '../../credencial.ts';

/** Entries of `CatalogoConsultas` about the opinion of compliance. */
export interface ConsultasOpinion {
  'consultar-opinion': {
    consulta: ConsultarOpinion;
    respuesta: RespuestaConsultarOpinion;
    credencial: Credencial;
  };
}

/** What the opinión del cumplimiento (article 32-D of the Código Fiscal de la Federación) says. */
export type SentidoOpinion = 'POSITIVO' | 'NEGATIVO' | 'EN_SUSPENSION' | 'INSCRITO_SIN_OBLIGACIONES' | 'NO_INSCRITO';

/** Has the SAT make the taxpayer's opinion (PDF) and reads it. */
export interface ConsultarOpinion {
  readonly consulta: 'consultar-opinion';
  readonly rfc: string;
}

export interface RespuestaConsultarOpinion {
  readonly sentido: SentidoOpinion;
  readonly folio: string | null;
  /** Date of the opinion, `yyyy-MM-dd`, when the document has one. */
  readonly fecha: string | null;
  /** Why it is not positive: the obligations and debts that the document lists. Null for a positive one. */
  readonly motivo: string | null;
  /** As the SAT signed it. */
  readonly pdf: Buffer;
}
