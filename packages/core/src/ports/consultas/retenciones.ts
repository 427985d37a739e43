import type { Credencial } from '../../credencial.ts';

/** Entries of `CatalogoConsultas` about CFDI de retenciones. */
export interface ConsultasRetenciones {
  'listar-retenciones': {
    consulta: ListarRetenciones;
    respuesta: RespuestaListarRetenciones;
    credencial: Credencial;
  };
}

/** Lists the CFDI de retenciones of a fiscal year from their portal, received and issued. Idempotent. */
export interface ListarRetenciones {
  readonly consulta: 'listar-retenciones';
  readonly rfc: string;
  /** Four digits. */
  readonly ejercicio: number;
}

export interface RespuestaListarRetenciones {
  /** Each document once, by `fecha` and then `uuid`. */
  readonly retenciones: readonly Retencion[];
}

/** One CFDI de retenciones e información de pagos. */
export interface Retencion {
  /** Upper case, 36 characters. */
  readonly uuid: string;
  readonly tipo: 'RECIBIDA' | 'EMITIDA';
  readonly emisorRfc: string;
  /** A payment abroad has no receiver with an RFC. */
  readonly receptorRfc: string | null;
  /** Amount of the operation, pesos. */
  readonly total: number;
  /** Date of issue, `yyyy-MM-dd`, central Mexico. */
  readonly fecha: string;
  readonly estado: 'VIGENTE' | 'CANCELADO';
}
