import { toForma } from './texto.ts';

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

const NUMERICA = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?:\s+\d{1,2}:\d{2}(?::\d{2})?(?:\s*hrs?\.?)?)?$/;
const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T\s]\d{2}:\d{2}(?::\d{2})?)?$/;
const LARGA = /^(\d{1,2}) de (\p{L}{4,10}) del? (\d{4})/u;

/**
 * `dd/mm/yyyy`, `dd-mm-yyyy` or `yyyy-mm-dd`, with or without a time of day, as `yyyy-MM-dd`; null when it is no day of
 * the calendar.
 */
export function readFecha(texto: string): string | null {
  const limpio = texto.trim();
  const numerica = NUMERICA.exec(limpio);
  if (numerica !== null) return toDia(Number(numerica[3]), Number(numerica[2]), Number(numerica[1]));
  const iso = ISO.exec(limpio);
  return iso === null ? null : toDia(Number(iso[1]), Number(iso[2]), Number(iso[3]));
}

/** A text that begins with a day as people write it, `22 de septiembre de 2026 …`, as `yyyy-MM-dd`. */
export function readLongDate(texto: string): string | null {
  const found = LARGA.exec(texto.trim().toLowerCase().replace(/\s+/g, ' '));
  const mes = found === null ? null : readMes(found[2] ?? '');
  return found === null || mes === null ? null : toDia(Number(found[3]), mes, Number(found[1]));
}

/**
 * Reads a date as constancias write it, `03-11-2004`, `03/11/2004` or `03 DE NOVIEMBRE DE 2004`, day first, and gives
 * `yyyy-MM-dd`. Null for anything else, a day that no calendar has included.
 */
export function readFechaConstancia(texto: string): string | null {
  const numeros = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/.exec(texto.trim());
  if (numeros !== null) return toFechaConstancia(Number(numeros[1]), Number(numeros[3]), Number(numeros[4]));
  const palabras = /^(\d{1,2}) DE ([A-Z]+) DE (\d{4})$/.exec(texto.trim().replace(/\s+/g, ' ').toUpperCase());
  if (palabras === null) return null;
  const mes = readMes(palabras[2] ?? '');
  return mes === null ? null : toFechaConstancia(Number(palabras[1]), mes, Number(palabras[3]));
}

function toFechaConstancia(dia: number, mes: number, anio: number): string | null {
  return anio < 1900 ? null : toDia(anio, mes, dia);
}
