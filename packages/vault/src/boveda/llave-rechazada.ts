/**
 * Why the private key of an e.firma cannot be stored: the e.firma that it needs is not there, or the key itself is
 * wrong.
 */
export class LlaveRechazada extends Error {
  readonly clase: 'EFIRMA_NO_DISPONIBLE' | 'LLAVE_INVALIDA';
  /** The field that is wrong; null when it is what was stored before. */
  readonly campo: 'key' | 'password' | null;
  /** What a person reads, in Spanish. */
  readonly motivo: string;

  constructor(
    clase: LlaveRechazada['clase'],
    campo: LlaveRechazada['campo'],
    motivo: string,
    options: ErrorOptions = {},
  ) {
    super(motivo, options);
    this.name = 'LlaveRechazada';
    this.clase = clase;
    this.campo = campo;
    this.motivo = motivo;
  }
}
