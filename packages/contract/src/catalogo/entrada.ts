/** An error of the interface, by what it means. */
export interface EntradaCatalogo {
  /** HTTP status of the answer. */
  readonly http: number;
  /** `cfdi_codigo` of the answer. Not unique: 2002 and 5041 have several meanings (specification, Errors). */
  readonly codigo: number;
  /** What a person reads: what happened, in the first sentence; then why and what to do. */
  readonly texto: string;
  /** The same for the documentation in English; the service answers in Spanish. */
  readonly english: string;
}
