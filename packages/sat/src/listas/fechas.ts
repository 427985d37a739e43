import { readMes, toDia } from '../texto/calendario.ts';

/** Day 1 of Excel's count as its 1900 system has it for every date after February 1900. */
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
/** The list begins in 2014; what lies outside is no date of it. */
const FIRST_YEAR = 2_010;
const LAST_YEAR = 2_099;

function dayOf(year: number, month: number, day: number): string | null {
  if (year < FIRST_YEAR || year > LAST_YEAR) return null;
  return toDia(year, month, day);
}

/**
 * The day, `yyyy-MM-dd`, in the prose at the head of the list: `Información actualizada al 31 de julio de 2026; …`.
 * Null when it has none or more than one.
 */
export function readFechaCorte(prose: string): string | null {
  const text = prose.slice(0, 2_000).toLowerCase();
  const pattern = /(?<!\d)(\d{1,2})º?\s+de\s+(\p{L}{4,10})\s+(?:de|del)\s+(\d{4})(?!\d)/gu;
  const days = new Set<string>();
  for (const [, day, name, year] of text.matchAll(pattern)) {
    const month = readMes(name ?? '');
    const found = month === null ? null : dayOf(Number(year), month, Number(day));
    if (found !== null) days.add(found);
  }
  const [only] = days;
  return days.size === 1 && only !== undefined ? only : null;
}

/** A cell of publication: `vacia`, the day it says, or `ilegible`. */
export type CeldaFecha = { readonly tipo: 'vacia' | 'ilegible' } | { readonly tipo: 'dia'; readonly dia: string };

/**
 * Reads `dd/mm/yyyy`. Some cells of the real list hold two of them (published again: the newer one is taken), some are
 * written with dashes, and some are the number of days that a spreadsheet shows as a date.
 */
export function readCeldaFecha(cell: string): CeldaFecha {
  const text = cell.trim();
  if (text === '') return { tipo: 'vacia' };
  if (text.length > 64) return { tipo: 'ilegible' };
  if (/^\d{5}$/.test(text)) {
    const date = new Date(EXCEL_EPOCH_MS + Number(text) * DAY_MS);
    return asCell([dayOf(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())]);
  }
  const pattern = /(?<!\d)(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?!\d)/g;
  const found = [...text.matchAll(pattern)];
  const rest = text.replace(pattern, '').replace(/[\s,;.yY-]/g, '');
  if (found.length === 0 || rest !== '') return { tipo: 'ilegible' };
  return asCell(found.map(([, day, , month, year]) => dayOf(Number(year), Number(month), Number(day))));
}

function asCell(days: readonly (string | null)[]): CeldaFecha {
  const real = days.filter((day) => day !== null).sort();
  const newest = real.at(-1);
  return newest === undefined || real.length !== days.length ? { tipo: 'ilegible' } : { tipo: 'dia', dia: newest };
}
