import type { Credencial } from '../../credencial.ts';

/** Entries of `CatalogoConsultas` about returns. */
export interface ConsultasDeclaraciones {
  'listar-declaraciones': {
    consulta: ListarDeclaraciones;
    respuesta: RespuestaListarDeclaraciones;
    credencial: Credencial;
  };
}

/** Lists the returns that the taxpayer filed for a fiscal year. Idempotent. */
export interface ListarDeclaraciones {
  readonly consulta: 'listar-declaraciones';
  readonly rfc: string;
  /** Four digits. */
  readonly ejercicio: number;
}

export interface RespuestaListarDeclaraciones {
  /** By `fecha`, then `numeroOperacion`. */
  readonly declaraciones: readonly Declaracion[];
}

export interface Declaracion {
  readonly numeroOperacion: string;
  /** The SAT's word: `Normal`, `Complementaria`, … */
  readonly tipo: string;
  readonly tipoComplementaria: string | null;
  readonly lineaCaptura: string | null;
  /** Null for returns of the portal up to 2021, which does not tell it. */
  readonly periodicidad: string | null;
  readonly periodo: string;
  readonly ejercicio: number;
  /** Date of filing, `yyyy-MM-dd`. */
  readonly fecha: string;
  readonly complementaria: boolean;
  /** Null as the `periodicidad`. */
  readonly estado: string | null;
}
