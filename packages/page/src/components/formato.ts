import { ZONA } from '../fechas/dia-mexico.ts';

const DIA_Y_HORA = new Intl.DateTimeFormat('es-MX', {
  timeZone: ZONA,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const DIA = new Intl.DateTimeFormat('es-MX', { timeZone: ZONA, day: 'numeric', month: 'short', year: 'numeric' });
const HORA = new Intl.DateTimeFormat('es-MX', {
  timeZone: ZONA,
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const DIA_CALENDARIO = new Intl.DateTimeFormat('es-MX', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});
const RELATIVO = new Intl.RelativeTimeFormat('es-MX', { numeric: 'auto' });
const NUMERO = new Intl.NumberFormat('es-MX');

/** `diaHora`, `dia`, `hora`: in central Mexico; `calendario`: a day without zone (a `date` column, read as UTC). */
export type FormatoFecha = 'diaHora' | 'dia' | 'hora' | 'calendario';

const FORMATOS = { diaHora: DIA_Y_HORA, dia: DIA, hora: HORA, calendario: DIA_CALENDARIO } as const;

/** A moment as text in Spanish, in the time of central Mexico. */
export function formatFecha(fecha: Date, formato: FormatoFecha = 'diaHora'): string {
  return FORMATOS[formato].format(fecha);
}

/** A whole or decimal number with the separators of es-MX. */
export function formatNumero(numero: number | bigint): string {
  return NUMERO.format(numero);
}

/** A decimal of any length with the separators of es-MX, to its last digit: `1160.000001` is `1,160.000001`. */
export const formatDecimal = (decimal: string): string =>
  decimal.replace(/^(-?)(\d+)/, (_, sign: string, whole: string) => `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}`);

/** An amount as the SAT gives it, with separators and its cents at least: `39375.5` is `39,375.50`. */
export function formatImporte(decimal: string): string {
  const [enteros = '0', centavos = ''] = decimal.split('.');
  return formatDecimal(`${enteros}.${centavos.padEnd(2, '0')}`);
}

/** `+100`, `−1`: by how much a balance changed. */
export function formatCambio(cambio: number): string {
  return `${cambio > 0 ? '+' : '−'}${formatNumero(Math.abs(cambio))}`;
}

/** `1 parte`, `2,000 partes`. */
export const count = (n: number, una: string, varias: string): string =>
  `${formatNumero(n)} ${Math.abs(n) === 1 ? una : varias}`;

/** Words for the other side of CFDI, and for their type I. */
export const TRADE = {
  emitidos: { one: 'Cliente', many: 'Clientes', income: 'Ingresos' },
  recibidos: { one: 'Proveedor', many: 'Proveedores', income: 'Gastos' },
} as const;

/** `1 proveedor`, `2 clientes`. */
export const countTrade = (n: number, tipo: keyof typeof TRADE): string =>
  count(n, TRADE[tipo].one.toLowerCase(), TRADE[tipo].many.toLowerCase());

/** `1 crédito`, `2,000 créditos`. */
export const formatCreditos = (creditos: number): string => count(creditos, 'crédito', 'créditos');

/** `1.5 MB`; decimal units. */
export function formatBytes(bytes: number | bigint): string {
  const unidades = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let valor = Number(bytes);
  let unidad = 0;
  while (valor >= 1000 && unidad < unidades.length - 1) {
    valor /= 1000;
    unidad += 1;
  }
  return `${NUMERO.format(Math.round(valor * 10) / 10)} ${unidades[unidad]}`;
}

const PASOS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `hace 5 minutos`, `dentro de 3 días`, `ahora`: how far a moment is from `now`. */
export function formatRelativo(fecha: Date, now: Date): string {
  const segundos = Math.round((fecha.getTime() - now.getTime()) / 1000);
  for (const [unidad, tamano] of PASOS)
    if (Math.abs(segundos) >= tamano) return RELATIVO.format(Math.trunc(segundos / tamano), unidad);
  return 'ahora';
}

/** Kinds of CFDI (`EfectoComprobante`) as people call them. */
export const EFECTO_NAMES = { I: 'Ingreso', E: 'Egreso', T: 'Traslado', N: 'Nómina', P: 'Pago' } as const;
