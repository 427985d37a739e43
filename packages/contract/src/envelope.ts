import { CATALOGO, type CfdiError, type DatosError, type NombreError } from './errors.ts';

/** `cfdi_codigo` of a success (specification, Response envelope). */
export const CODIGO_EXITO = 1;
/** `cfdi_texto` of a success. */
export const TEXTO_EXITO = 'OK';

export interface SobreExito<Data> {
  readonly cfdi_codigo: typeof CODIGO_EXITO;
  readonly cfdi_texto: string;
  readonly cfdi_descripcion?: string;
  readonly data?: Data;
  readonly saldo?: number;
}

export interface SobreError {
  readonly cfdi_codigo: number;
  readonly cfdi_texto: string;
  /** Tells apart what shares a code. Never renamed. */
  readonly error: NombreError;
  readonly data?: DatosError;
}

/** The body of an error answer. */
export function sobreDeError(error: Pick<CfdiError, 'nombre' | 'datos'>): SobreError {
  const { codigo, texto } = CATALOGO[error.nombre];
  const { campo, motivo } = error.datos;
  const campos = campo === undefined || motivo === undefined ? {} : { campos: [{ campo, motivo }] };
  const datos: DatosError = { ...campos, ...error.datos };
  return {
    cfdi_codigo: codigo,
    cfdi_texto: texto,
    error: error.nombre,
    ...(Object.keys(datos).length > 0 ? { data: datos } : {}),
  };
}
