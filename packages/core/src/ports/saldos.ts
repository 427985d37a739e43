import type { RespuestaIdempotencia } from './idempotencia.ts';

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
