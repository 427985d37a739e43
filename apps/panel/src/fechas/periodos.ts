import { diaDe } from './dia-mexico.ts';

/** A period that people name. Days of central Mexico, yyyy-mm-dd, both included. */
export interface PeriodoNombrado {
  readonly texto: string;
  readonly desde: string;
  readonly hasta: string;
}

/**
 * The periods that an accountant asks for, on the calendar of central Mexico; none ends after today, which the SAT
 * would refuse.
 */
export function periodosDe(now: Date): readonly PeriodoNombrado[] {
  const hoy = diaDe(now);
  const [year = 0, month = 1] = hoy.split('-').map(Number);
  const day = (y: number, m: number, d: number) => new Date(Date.UTC(y, m - 1, d)).toISOString().slice(0, 10);
  return [
    { texto: 'Este mes', desde: day(year, month, 1), hasta: hoy },
    { texto: 'Mes pasado', desde: day(year, month - 1, 1), hasta: day(year, month, 0) },
    { texto: 'Este año', desde: day(year, 1, 1), hasta: hoy },
    { texto: 'Año pasado', desde: day(year - 1, 1, 1), hasta: day(year - 1, 12, 31) },
    { texto: 'Últimos 12 meses', desde: day(year, month - 12, 1), hasta: day(year, month, 0) },
  ];
}
