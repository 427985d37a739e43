import { readMes, toDia } from '../texto/calendario.ts';

/**
 * Reads a date as constancias write it, `03-11-2004`, `03/11/2004` or `03 DE NOVIEMBRE DE 2004`, day first, and gives
 * `yyyy-MM-dd`. Null for anything else, a day that no calendar has included.
 */
export function readFecha(texto: string): string | null {
  const numeros = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/.exec(texto.trim());
  if (numeros !== null) return toFecha(Number(numeros[1]), Number(numeros[3]), Number(numeros[4]));
  const palabras = /^(\d{1,2}) DE ([A-Z]+) DE (\d{4})$/.exec(texto.trim().replace(/\s+/g, ' ').toUpperCase());
  if (palabras === null) return null;
  const mes = readMes(palabras[2] ?? '');
  return mes === null ? null : toFecha(Number(palabras[1]), mes, Number(palabras[3]));
}

function toFecha(dia: number, mes: number, anio: number): string | null {
  return anio < 1900 ? null : toDia(anio, mes, dia);
}
