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

interface Cargo {
  /** Identity of the charge: the same id is charged once and refunded once, however often it is asked. */
  readonly opId: string;
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  readonly operacion: string;
  /** Credits, positive. */
  readonly importe: number;
  /**
   * Seconds after which the call behind this charge must have been settled or refunded. Past that its process has died,
   * and the charge is given back by whoever finds it.
   */
  readonly plazoSegundos: number;
}

export type ResultadoCargo =
  | { readonly resultado: 'CARGADO'; readonly saldo: number }
  /** This `opId` was charged before; nothing happened now. */
  | { readonly resultado: 'REPETIDO'; readonly saldo: number }
  /** This `opId` was charged and given back: under it nothing can be charged any more, and nothing may be answered. */
  | { readonly resultado: 'DEVUELTO'; readonly saldo: number }
  | { readonly resultado: 'INSUFICIENTE'; readonly saldo: number };

/** The answer of a call, kept for a repetition of its `Idempotency-Key`. */
export type RespuestaGuardada = Omit<RespuestaIdempotencia, 'opId'>;

/**
 * Credits of accounts. Every movement is one SQL statement: a balance and its ledger row change together or not at all.
 */
export interface Saldos {
  charge(cargo: Cargo): Promise<ResultadoCargo>;
  /**
   * Ends the call behind the charge with an answer, which is kept in the same commit; in it, too, the charge is given
   * back when `devuelve` says why, and else stays. True when this settling did so, also by an earlier try; false when
   * something else became of the charge before, and nothing may be answered any more. Throws {@link ResultadoIncierto}
   * when it may have been carried out without saying so.
   */
  settle(opId: string, respuesta: RespuestaGuardada | null, devuelve?: string): Promise<boolean>;
  /** Gives the charge of an open call back and ends the call. False when there is none, or it has ended before. */
  refund(opId: string, detalle: string): Promise<boolean>;
  /**
   * The same for a call that was not answered although its settling may be written. False when the charge was given
   * back before.
   */
  undo(opId: string, detalle: string): Promise<boolean>;
  /** Gives back the charges of calls whose time is over without an answer. Returns how many. */
  refundAbandoned(limit: number): Promise<number>;
}

/**
 * A write was sent and nothing is known of what became of it: the connection was lost, or nobody waited any longer.
 * Whoever gets this may claim neither that it was done nor that it was not.
 */
export class ResultadoIncierto extends Error {
  constructor(options: ErrorOptions) {
    super('it is not known whether the write was carried out', options);
    this.name = 'ResultadoIncierto';
  }
}
