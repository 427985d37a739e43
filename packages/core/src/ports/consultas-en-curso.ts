import type { Periodo } from '../periodo.ts';

/** A request that the SAT is still working on. */
export interface ConsultaEnCurso {
  readonly folio: string;
  /** What it was asked for, exactly: the answer may go beyond what the caller wanted. */
  readonly periodo: Periodo;
}

/**
 * Where a synchronous query leaves what it asked of an asynchronous service of the SAT, so that the next call goes on
 * instead of asking anew. `clave` names the question, such as `retenciones:2025:recibidos`.
 */
export interface ConsultasEnCurso {
  find(contribuyenteId: string, clave: string): Promise<ConsultaEnCurso | null>;
  /** Keeps the request. When another call has kept one meanwhile that one stays, and is returned. */
  keep(contribuyenteId: string, clave: string, consulta: ConsultaEnCurso): Promise<ConsultaEnCurso>;
  /** Forgets it, if it is still the one with this folio. */
  drop(contribuyenteId: string, clave: string, folio: string): Promise<void>;
}
