import { readMes, toDia } from '../../texto/calendario.ts';

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
export function readFechaLarga(texto: string): string | null {
  const found = LARGA.exec(texto.trim().toLowerCase().replace(/\s+/g, ' '));
  const mes = found === null ? null : readMes(found[2] ?? '');
  return found === null || mes === null ? null : toDia(Number(found[3]), mes, Number(found[1]));
}
