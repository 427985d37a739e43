import type { FALLOS } from './generated/fallos.ts';
import type { DatosFallo, NombreFallo } from './generated/openapi.ts';

/** What goes wrong on this side of the service; `codigo` of these is null. */
export const FALLOS_LOCALES = {
  SIN_CONEXION:
    'No hubo respuesta del servicio. Revise la dirección y su conexión; se intentó varias veces y nada se cobra dos veces.',
  RESPUESTA_ILEGIBLE:
    'La respuesta no es la de este servicio: puede ser la de un intermediario. Revise la dirección (url) que dio.',
  PAQUETE_DANADO: 'El ZIP que llegó no es el que el servicio guardó. Descárguelo otra vez; no tiene costo.',
  WEBHOOK_INVALIDO: 'El aviso no viene de su servicio de Acuse, o llegó alterado o tarde. No lo procese.',
} as const;

/** Names that only this package gives. */
export type NombreLocal = keyof typeof FALLOS_LOCALES;
/** Every name of an error; those of the service never change. */
export type NombreError = NombreFallo | NombreLocal;
/** The `cfdi_codigo` of an error by its name; null for those of this package. */
export type CodigoDe<N extends NombreError> = N extends NombreLocal
  ? null
  : N extends keyof typeof FALLOS
    ? (typeof FALLOS)[N]['codigo']
    : number;

/** What an {@link AcuseError} is made of. */
export interface InicioError {
  readonly nombre: NombreError;
  readonly codigo?: number | null;
  readonly texto?: string;
  readonly http?: number | null;
  readonly datos?: DatosFallo;
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/** An error whose name is known: `switch (error.nombre)` narrows `codigo` with it. */
export type AcuseErrorDe<N extends NombreError> = AcuseError & { readonly nombre: N; readonly codigo: CodigoDe<N> };
/** Any error of this package, as `instanceof AcuseError` gives it. */
export type CualquierAcuseError = { [N in NombreError]: AcuseErrorDe<N> }[NombreError];

/**
 * What every call of this package throws, but for an abort, which throws the reason of its signal. `message` says in
 * Spanish what happened, why and what to do.
 */
export class AcuseError extends Error {
  /** Tells apart what shares a code. */
  readonly nombre: NombreError;
  /** `cfdi_codigo`; null when the service did not say it. */
  readonly codigo: number | null;
  /** HTTP status; null without an answer. */
  readonly http: number | null;
  /** The precise cause and the wrong fields, where there are any. */
  readonly datos: DatosFallo;
  /** `X-Request-Id` of the answer: what the operator of the service asks for. */
  readonly requestId: string | null;

  constructor({ nombre, codigo = null, texto, http = null, datos = {}, requestId = null, cause }: InicioError) {
    const local = (FALLOS_LOCALES as Readonly<Record<string, string>>)[nombre];
    // The text of a wrong field says its reason already.
    const motivo =
      datos.motivo === undefined || texto?.includes(datos.motivo)
        ? ''
        : ` (${datos.campo ? `${datos.campo}: ` : ''}${datos.motivo})`;
    super(`${texto ?? local ?? nombre}${motivo}`, { cause });
    this.name = 'AcuseError';
    this.nombre = nombre;
    this.codigo = codigo;
    this.http = http;
    this.datos = datos;
    this.requestId = requestId;
  }

  /** Seconds after which the service says that it is worth asking again; null when it does not say. */
  get reintentarEn(): number | null {
    return this.datos.reintentar_en ?? null;
  }

  /** `error instanceof AcuseError` gives the union of all errors, which a name narrows. */
  static override [Symbol.hasInstance](value: unknown): value is CualquierAcuseError {
    return Function.prototype[Symbol.hasInstance].call(AcuseError, value);
  }
}

/** What may pass by itself: the same call, made again, can succeed. Of the rest every repetition ends alike. */
export const PASAJEROS: ReadonlySet<NombreError> = new Set<NombreError>([
  'DEMASIADAS_PETICIONES',
  'SALDO_NO_DISPONIBLE',
  'ACCESO_CAMBIADO',
  'BASE_NO_DISPONIBLE',
  'ALMACEN_NO_DISPONIBLE',
  'RESULTADO_INCIERTO',
  'ERROR_INTERNO',
  'SIN_CONEXION',
]);
/**
 * Errors that pass by themselves only where the answer gives a delay; otherwise a person has to change something first.
 */
export const CON_PLAZO: ReadonlySet<NombreError> = new Set<NombreError>([
  'SAT_NO_DISPONIBLE',
  'IDEMPOTENCIA_EN_CONFLICTO',
]);

/** Whether the same call may succeed when it is made again. */
export function esPasajero(error: unknown): boolean {
  if (!(error instanceof AcuseError)) return false;
  const { nombre, http, reintentarEn } = error as AcuseError;
  if (nombre === 'RESPUESTA_ILEGIBLE') return http === 429 || (http ?? 0) >= 500;
  return PASAJEROS.has(nombre) || (CON_PLAZO.has(nombre) && reintentarEn !== null);
}
