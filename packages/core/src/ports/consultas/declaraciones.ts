/** Lists the returns that the taxpayer filed for a fiscal year. Idempotent. */
export interface ListarDeclaraciones {
  readonly consulta: 'listar-declaraciones';
  readonly rfc: string;
  /** Four digits; the portal knows 2022 and later. */
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
  readonly periodicidad: string;
  readonly periodo: string;
  readonly ejercicio: number;
  /** Date of filing, `yyyy-MM-dd`. */
  readonly fecha: string;
  readonly complementaria: boolean;
  readonly estado: string;
}
