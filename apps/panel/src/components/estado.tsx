import type { Tono } from './aviso.tsx';

const CONOCIDOS = {
  EN_PROCESO: ['En proceso', 'info'],
  ESPERA_EFIRMA: ['Espera la e.firma', 'alerta'],
  TERMINADA: ['Terminada', 'exito'],
  ERROR: ['No se pudo', 'error'],
  RECHAZADA: ['Rechazada por el SAT', 'error'],
  VENCIDA: ['Venció el plazo', 'error'],
  CANCELADA: ['Cancelada', 'neutro'],
  ACTIVA: ['Activa', 'exito'],
  REEMPLAZADA: ['Reemplazada', 'neutro'],
  REVOCADA: ['Revocada', 'error'],
  PENDIENTE: ['Pendiente', 'alerta'],
  ACREDITADO: ['Acreditado', 'exito'],
  RECHAZADO: ['Rechazado', 'error'],
  CANCELADO: ['Cancelado', 'neutro'],
} as const satisfies Readonly<Record<string, readonly [texto: string, tono: Tono | 'neutro']>>;

type Conocido = keyof typeof CONOCIDOS;

const isConocido = (valor: string): valor is Conocido => Object.hasOwn(CONOCIDOS, valor);

/** How a state is called, wherever it is named. */
export function nombreEstado(valor: Conocido): string {
  return CONOCIDOS[valor][0];
}

interface EstadoProps {
  /** A word of the contract, such as `EN_PROCESO`; its text and colour are known. */
  readonly valor?: string;
  /** Text and colour of one's own, or in place of the known ones. */
  readonly texto?: string;
  readonly tono?: Tono | 'neutro';
}

/** A pill that names a state; the colour only repeats what the text says. */
export function Estado({ valor = '', texto, tono }: EstadoProps) {
  const conocido = isConocido(valor) ? CONOCIDOS[valor] : undefined;
  const color = tono ?? conocido?.[1] ?? 'neutro';
  return <span class={color === 'neutro' ? 'estado' : `estado ${color}`}>{texto ?? conocido?.[0] ?? valor}</span>;
}
