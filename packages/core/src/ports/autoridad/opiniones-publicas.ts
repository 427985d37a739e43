import type { SentidoOpinion } from '../consultas/opinion.ts';

export type RespuestaOpinionPublica =
  | {
      readonly resultado: 'PUBLICADA';
      readonly sentido: SentidoOpinion;
      readonly fechaPublicacion: Date;
    }
  /**
   * The taxpayer has not authorised the publication of the opinion, or the source does not know the RFC. Says nothing
   * about its sense.
   */
  | { readonly resultado: 'NO_PUBLICADA' };

/**
 * Opinions of compliance that taxpayers let the SAT publish (rule 2.1.25 of the Resolución Miscelánea Fiscal). The SAT
 * offers no documented way to ask for one, so an operator has to name a source; without one there is nobody to ask, and
 * nothing may be guessed.
 */
export interface OpinionesPublicas {
  /** Rejects with a SatError when the source gave no answer that can be read. */
  consultar(rfc: string, signal: AbortSignal): Promise<RespuestaOpinionPublica>;
}
