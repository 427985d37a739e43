import { toForma } from './forma.ts';

const MESES = [
  'enero',
  'febrero',
  'marzo',
  'abril',
  'mayo',
  'junio',
  'julio',
  'agosto',
  'septiembre',
  'octubre',
  'noviembre',
  'diciembre',
];

/**
 * The number of a month by its Spanish name or its first letters (`sep`, `sept`, `septiembre`, `setiembre`), three at
 * least.
 */
export function readMes(texto: string): number | null {
  const nombre = toForma(texto).replace(/\.$/, '');
  if (nombre.length < 3) return null;
  if (nombre === 'set' || nombre === 'setiembre') return 9;
  const mes = MESES.findIndex((completo) => completo.startsWith(nombre)) + 1;
  return mes === 0 ? null : mes;
}

/** A day of the calendar as `yyyy-MM-dd`; null for the 30th of February. */
export function toDia(anio: number, mes: number, dia: number): string | null {
  const fecha = new Date(Date.UTC(anio, mes - 1, dia));
  const real = fecha.getUTCFullYear() === anio && fecha.getUTCMonth() === mes - 1 && fecha.getUTCDate() === dia;
  return real && anio >= 1000 ? fecha.toISOString().slice(0, 10) : null;
}
