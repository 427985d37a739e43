/** Which request is repeated: the key's id, the operation's path and the caller's `Idempotency-Key`. */
export interface ClaveIdempotencia {
  readonly apiKeyId: string;
  /** Operation path without the /api/v1/ prefix, such as `tax/facturas`. */
  readonly operacion: string;
  readonly clave: string;
}

interface InicioIdempotencia extends ClaveIdempotencia {
  /** 32 bytes that are equal for equal bodies of this request and key, and tell nothing of them. */
  readonly cuerpoHash: Buffer;
  /** UUIDv7: the identity of the charge when this is the first time. */
  readonly opId: string;
  /** How long the first attempt may take before another may take it over. */
  readonly bloqueoSegundos: number;
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
  /** The first attempt still runs, for at most so many seconds. */
  | { readonly resultado: 'EN_CURSO'; readonly reintentarEn: number };

/** Answers kept for 24 hours so that a repeated request is neither run nor charged again. By the database's clock. */
export interface Idempotencia {
  /**
   * Claims the request by one insert, or tells what became of the earlier one. A row older than 24 hours counts as
   * absent. A row without an answer whose lock is over is taken over by exactly one caller.
   */
  begin(inicio: InicioIdempotencia): Promise<ResultadoIdempotencia>;
  /** Keeps the answer; nothing when the row is no longer under this `opId`. */
  finish(respuesta: RespuestaIdempotencia): Promise<void>;
  /** It is not known whether it was done: the next repetition goes on at once, under this same `opId`. */
  reopen(clave: ClaveIdempotencia & { readonly opId: string }): Promise<void>;
  /**
   * Forgets the request, so that it can be made anew: it failed and nothing stayed charged. Only while it is under this
   * `opId`.
   */
  release(clave: ClaveIdempotencia & { readonly opId: string }): Promise<void>;
}
