/** Which request is repeated: the key's id, the operation's path and the caller's `Idempotency-Key`. */
export interface ClaveIdempotencia {
  readonly apiKeyId: string;
  /** Operation path without the /api/v1/ prefix, such as `tax/facturas`. */
  readonly operacion: string;
  readonly clave: string;
}

export interface RespuestaIdempotencia extends ClaveIdempotencia {
  readonly opId: string;
  readonly status: number;
  /** The answer, sealed. */
  readonly sobre: Buffer;
}

export type ResultadoIdempotencia =
  /**
   * Go on, and charge under this `opId`. It is the given one the first time; the stored one when an earlier attempt
   * died without an answer, so that what it charged is not charged again.
   */
  | { readonly resultado: 'ADELANTE'; readonly opId: string }
  /** It was answered within the last 24 hours: the same answer again. */
  | { readonly resultado: 'CONTESTADA'; readonly status: number; readonly sobre: Buffer }
  | { readonly resultado: 'OTRO_CUERPO' }
  /** The first attempt still runs; `libreEn`: seconds until another attempt may take its place. */
  | { readonly resultado: 'EN_CURSO'; readonly libreEn: number };

export type ResultadoCargo =
  | { readonly resultado: 'CARGADO'; readonly saldo: number; readonly importe: number }
  /** This `opId` was charged before; nothing happened now. */
  | { readonly resultado: 'REPETIDO'; readonly saldo: number }
  /** This `opId` was charged and given back: under it nothing can be charged any more, and nothing may be answered. */
  | { readonly resultado: 'DEVUELTO'; readonly saldo: number }
  | { readonly resultado: 'INSUFICIENTE'; readonly saldo: number };

/** The answer of a call, kept for a repetition of its `Idempotency-Key`. */
export type RespuestaGuardada = Omit<RespuestaIdempotencia, 'opId'>;

/**
 * A write was sent and its outcome is unknown: the connection was lost, or the wait ended.
 * The caller may claim neither that it was done nor that it was not.
 */
export class ResultadoIncierto extends Error {
  constructor(options: ErrorOptions) {
    super('it is not known whether the write was carried out', options);
    this.name = 'ResultadoIncierto';
  }
}
