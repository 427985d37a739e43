import type { Magia } from '@acuse/simulador';
import type { Answer, Servicio, ServicioOptions } from '../../fixtures/servicio.ts';

/** The services of the test. The first two serve all cases. */
export interface Servicios {
  /** Has time enough. */
  readonly relaxed: Servicio;
  /** Has to give up soon. */
  readonly hurried: Servicio;
  /** Starts one, without a worker, that this case has to itself until its end. */
  propio(options?: ServicioOptions): Promise<Servicio>;
}

/** Settings of an API that gives up soon. */
export const HURRIED = { SAT_PRESUPUESTO_MS: '4000', SAT_POR_RFC: '16' };

/** Proves what the table of magic RFCs says that Acuse answers, for one of the two RFCs. */
export type Prueba = (servicios: Servicios, rfc: string, magia: Magia) => Promise<void>;

export const SALDO = 3;
export const ANIO = { desde: '2026-03-01', hasta: '2026-03-31' };
export const codigo = ({ status, body }: Answer) => [status, body.cfdi_codigo];
