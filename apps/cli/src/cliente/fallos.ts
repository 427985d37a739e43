import { FalloOrden } from '@acuse/roles/client';
import { explain } from '@acuse/runtime';
import { AcuseError, type NombreError } from '@acuse/sdk';
import { CommanderError } from 'commander';

/** What the exit code of an order says, by class of error (docs/integrators/es/cli.md). */
export const SALIDAS = {
  bien: 0,
  otro: 1,
  orden: 2,
  acceso: 3,
  saldo: 4,
  noEncontrado: 5,
  credencial: 6,
  pasajero: 7,
  conflicto: 8,
  archivo: 9,
  interrumpida: 130,
} as const;
export type Clase = keyof typeof SALIDAS;

const DE_ORDEN: Readonly<Record<FalloOrden['nombre'], Clase>> = {
  SIN_ACCESO: 'acceso',
  ORDEN_INVALIDA: 'orden',
  INTERRUMPIDA: 'interrumpida',
  TOPE_DE_CREDITOS: 'saldo',
  ARCHIVO_DISTINTO: 'archivo',
};

const CODIGOS: readonly (readonly [Clase, ...number[]])[] = [
  ['acceso', 1001, 1002, 1003, 6001],
  ['saldo', 1004],
  ['orden', 2001, 2002],
  ['noEncontrado', 3004],
  ['conflicto', 3002, 3003, 3005, 9409],
  ['credencial', 4001, 4002, 4003, 4004],
  ['pasajero', 5041, 9429, 9500],
];
/** By `cfdi_codigo`; 2002 also stands for a thing that does not exist. */
const POR_CODIGO: ReadonlyMap<number, Clase> = new Map(
  CODIGOS.flatMap(([clase, ...codigos]) => codigos.map((codigo) => [codigo, clase])),
);
const LOCALES: Partial<Record<NombreError, Clase>> = { SIN_CONEXION: 'pasajero', PAQUETE_DANADO: 'archivo' };

/** The class of an error: what can be done about it. */
export function claseOf(error: unknown): Clase {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'bien' : 'orden';
  if (error instanceof FalloOrden) return DE_ORDEN[error.nombre];
  if (error instanceof AcuseError) {
    const { nombre, codigo, http } = error as AcuseError;
    if (http === 404) return 'noEncontrado';
    return LOCALES[nombre] ?? POR_CODIGO.get(codigo ?? 0) ?? ((http ?? 0) >= 500 ? 'pasajero' : 'otro');
  }
  return typeof (error as NodeJS.ErrnoException)?.code === 'string' ? 'archivo' : 'otro';
}

/** The exit code of an order that ended with this error. */
export const salidaOf = (error: unknown): number => SALIDAS[claseOf(error)];

function nombreOf(error: unknown): string {
  if (error instanceof FalloOrden || error instanceof AcuseError) return error.nombre;
  const { code } = error as NodeJS.ErrnoException;
  return code ?? 'ERROR';
}

/** What a person reads of an error: what happened, why, what to do. */
export function textOf(error: unknown): string {
  if (error instanceof AcuseError) {
    const { message, nombre, codigo, requestId } = error as AcuseError;
    const clave = codigo === null ? nombre : `${nombre}, ${codigo}`;
    return `Error: ${message}\n(${clave}${requestId === null ? '' : `; X-Request-Id ${requestId}`})`;
  }
  const isOwnWill = error instanceof FalloOrden && error.nombre === 'INTERRUMPIDA';
  return `${isOwnWill ? '' : 'Error: '}${messageOf(error)}`;
}

function messageOf(error: unknown): string {
  if (error instanceof FalloOrden) return error.message;
  return (error as NodeJS.ErrnoException)?.code === 'EEXIST' ? (error as Error).message : explain(error);
}

/** The same for programs. */
export function datosOf(error: unknown): Readonly<Record<string, unknown>> {
  const nombre = nombreOf(error);
  if (!(error instanceof AcuseError)) return { error: nombre, texto: messageOf(error) };
  const { codigo, message: texto, datos: data, requestId: request_id } = error as AcuseError;
  return { error: nombre, cfdi_codigo: codigo, texto, data, request_id };
}

/** As one line of JSON. */
export const jsonOf = (error: unknown): string => JSON.stringify(datosOf(error));
