import { ACCESO } from './catalogo/acceso.ts';
import { PETICIONES } from './catalogo/peticion.ts';
import { SERVICIOS } from './catalogo/servicio.ts';

/**
 * Every error that the interface can answer, by meaning. Codes 1001 to 6001 are the specification's; 2001, 3003, 3004,
 * 3005, 3006, 4003, 4004 and 9xxx are ours, for cases that it leaves open.
 */
export const CATALOGO = { ...ACCESO, ...PETICIONES, ...SERVICIOS } as const;

export type NombreError = keyof typeof CATALOGO;

/** Invalid field of a request with the reason, in Spanish. */
export interface CampoErroneo {
  readonly campo: string;
  readonly motivo: string;
}

/**
 * What helps the caller beside the text. `campo`: the first wrong body field; `motivo`: the precise cause; `campos`:
 * all wrong fields; `reintentar_en`: seconds; `webhook_id`: of the one that is there already.
 */
export interface DatosError {
  readonly campo?: string;
  readonly motivo?: string;
  readonly campos?: readonly CampoErroneo[];
  readonly reintentar_en?: number;
  /** The webhook that is in the way. */
  readonly webhook_id?: string;
}

/** An error with a meaning of the catalogue. Only the HTTP edge knows its numbers. */
export class CfdiError extends Error {
  readonly nombre: NombreError;
  readonly datos: DatosError;

  constructor(nombre: NombreError, datos: DatosError = {}, options: { cause?: unknown } = {}) {
    super(nombre, options);
    this.name = 'CfdiError';
    this.nombre = nombre;
    this.datos = datos;
  }
}

/** `cfdi_codigo` of a success (specification, Response envelope). */
export const CODIGO_EXITO = 1;
/** `cfdi_texto` of a success. */
export const TEXTO_EXITO = 'OK';

/** The body of an error answer. */
export interface SobreError {
  readonly cfdi_codigo: number;
  readonly cfdi_texto: string;
  /** Tells apart what shares a code. Never renamed. */
  readonly error: NombreError;
  readonly data?: DatosError;
}

/** The first sentence of a text of the catalogue says what happened; the rest says what to do. */
export function partsOf(texto: string): readonly [cause: string, remedy: string] {
  const end = texto.search(/\.\s+\p{Lu}/u) + 1;
  return [texto.slice(0, end), texto.slice(end).trim()];
}

/** Errors whose text has their reason, a sentence, between cause and remedy. */
const TELLS_WHERE: ReadonlySet<NombreError> = new Set<NombreError>(['JSON_INVALIDO', 'RUTA_DESCONOCIDA']);

/** The body of an error answer. Its text says the first reason where a field is wrong. */
export function sobreDeError(error: Pick<CfdiError, 'nombre' | 'datos'>): SobreError {
  const { codigo, texto } = CATALOGO[error.nombre];
  const { campo, motivo } = error.datos;
  const [cause, remedy] = partsOf(texto);
  const reason = campo && motivo && `${campo}: ${/[.?]$/.test(motivo) ? motivo : `${motivo}.`}`;
  const campos = campo === undefined || motivo === undefined ? {} : { campos: [{ campo, motivo }] };
  const datos: DatosError = { ...campos, ...error.datos };
  return {
    cfdi_codigo: codigo,
    cfdi_texto: reason
      ? `${reason} ${remedy}`
      : TELLS_WHERE.has(error.nombre) && motivo
        ? `${cause} ${motivo} ${remedy}`
        : texto,
    error: error.nombre,
    ...(Object.keys(datos).length > 0 ? { data: datos } : {}),
  };
}
