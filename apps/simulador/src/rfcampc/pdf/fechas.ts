import { formatWallTime, wallTimeOf } from '../../world/wall-time.ts';

const MESES = [
  'ENERO',
  'FEBRERO',
  'MARZO',
  'ABRIL',
  'MAYO',
  'JUNIO',
  'JULIO',
  'AGOSTO',
  'SEPTIEMBRE',
  'OCTUBRE',
  'NOVIEMBRE',
  'DICIEMBRE',
];

/** `dd DE MES DE yyyy` from `yyyy-MM-dd`. */
export function longDate(dia: string): string {
  const [year = '', month = '', day = ''] = dia.split('-');
  return `${day} DE ${MESES[Number(month) - 1] ?? ''} DE ${year}`;
}

/** `dd/MM/yyyy` from `yyyy-MM-dd`; empty for null. */
export function slashDate(dia: string | null): string {
  return (dia ?? '').split('-').reverse().join('/');
}

/** `yyyy-MM-dd HH:mm:ss` in central Mexico. */
export function wallClock(date: Date): string {
  return formatWallTime(wallTimeOf(date));
}
