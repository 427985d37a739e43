export interface Cargo {
  /** Identity of the charge: the same id is charged once and refunded once, however often it is asked. */
  readonly opId: string;
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  readonly operacion: string;
  /** Credits, positive. */
  readonly importe: number;
}

export type ResultadoCargo =
  | { readonly resultado: 'CARGADO'; readonly saldo: number }
  /** This `opId` was charged before; nothing happened now. */
  | { readonly resultado: 'REPETIDO'; readonly saldo: number }
  | { readonly resultado: 'INSUFICIENTE'; readonly saldo: number };

/** Credits of accounts. Every movement is one SQL statement: a balance and its ledger row change together or not at all. */
export interface Saldos {
  charge(cargo: Cargo): Promise<ResultadoCargo>;
  /** Gives a charge back, once. False when there is none, or it was given back before. */
  refund(opId: string, detalle: string): Promise<boolean>;
}
