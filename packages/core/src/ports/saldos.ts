export interface Cargo {
  /** Identity of the charge: the same id is charged once and refunded once, however often it is asked. */
  readonly opId: string;
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  readonly operacion: string;
  /** Credits, positive. */
  readonly importe: number;
  /**
   * Seconds after which the call behind this charge must have been settled or refunded. Past that its process has died, and the charge is
   * given back by whoever finds it.
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

/** Credits of accounts. Every movement is one SQL statement: a balance and its ledger row change together or not at all. */
export interface Saldos {
  charge(cargo: Cargo): Promise<ResultadoCargo>;
  /** The call behind the charge has its answer: the charge stays. */
  settle(opId: string): Promise<void>;
  /** Gives a charge back, once. False when there is none, or it was given back before. */
  refund(opId: string, detalle: string): Promise<boolean>;
  /** Gives back the charges of calls whose time is over without an answer. Returns how many. */
  refundAbandoned(limit: number): Promise<number>;
}
