/** CFDI in force, of one kind, with a counterparty: how many, and their pesos as a decimal. */
export interface SumaCfdi {
  readonly cfdi: number;
  readonly monto: string;
}

/** Those of income and of expense. */
export interface SumasCfdi {
  readonly ingresos: SumaCfdi;
  readonly egresos: SumaCfdi;
}

/** A counterparty of a package, under the name that it had there last, with the CFDI of it that are in force. */
export interface ContraparteVista extends SumasCfdi {
  readonly rfc: string;
  readonly nombre: string;
}

/** Where an RFC stands on a published list. */
export interface SupuestoListado {
  readonly lista: string;
  readonly supuesto: string;
  /** False: under that word the list clears, or only informs. */
  readonly isAdverso: boolean;
  /** `yyyy-MM-dd`, of the list itself. */
  readonly publicada: string | null;
}

/** A counterparty of a package that stood on a published list when the package was made. */
export interface ContraparteDePaquete extends ContraparteVista, SupuestoListado {}

/** After whom a page of counterparties goes on. */
export type LugarListado = Pick<ContraparteDePaquete, 'rfc' | 'lista'>;

/** The RFCs of all published lists: who is not in them may be found all the same, seldom; who is, always. */
export interface RfcsListados {
  /** Whether these bytes, the UTF-8 of an RFC, may be one. */
  has(bytes: Uint8Array, start: number, end: number): boolean;
}
