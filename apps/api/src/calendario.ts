import type { CampoErroneo } from '@acuse/contract';
import { addDays, calendarDay } from '@acuse/core';

const HOUR_MS = 3_600_000;
const YEARS_BACK = 6;

/** The days a period may lie in, and the count of hours since 1970 of the hour in which that holds. */
interface Ventana {
  readonly hora: number;
  readonly hoy: string;
  readonly primero: string;
}

let ultima: Ventana | null = null;

/** Kept for an hour of the clock, within which no day of central Mexico ends: every request asks for it. */
function ventana(now: Date): Ventana {
  const hora = Math.floor(now.getTime() / HOUR_MS);
  if (ultima?.hora === hora) return ultima;
  const hoy = calendarDay(now);
  ultima = { hora, hoy, primero: seisAniosAntes(hoy) };
  return ultima;
}

/** The same day six years earlier; 28 February for a 29th that does not exist then. */
function seisAniosAntes(fecha: string): string {
  const year = String(Number(fecha.slice(0, 4)) - YEARS_BACK);
  const moved = `${year}${fecha.slice(4)}`;
  return addDays(moved, 0) === moved ? moved : `${year}-02-28`;
}

/** The rules of a period: `desde` <= `hasta` <= today, and not more than six years back. Null when it keeps them. */
export function checkPeriodo({ desde, hasta }: { desde: string; hasta: string }, now: Date): CampoErroneo | null {
  const { hoy, primero } = ventana(now);
  if (hasta > hoy) return { campo: 'hasta', motivo: `no puede ser posterior a hoy (${hoy}, centro de México)` };
  if (desde > hasta) return { campo: 'desde', motivo: 'no puede ser posterior a hasta' };
  if (desde < primero) {
    return {
      campo: 'desde',
      motivo: `no puede ser anterior a ${primero}: el SAT da a lo más ${YEARS_BACK} años`,
    };
  }
  return null;
}

/** The rules of a fiscal year: begun, and not more than `back` years before this one. Null when it keeps them. */
export function checkEjercicio(ejercicio: number, back: number, now: Date): CampoErroneo | null {
  const actual = Number(ventana(now).hoy.slice(0, 4));
  if (ejercicio > actual) return { campo: 'ejercicio', motivo: `no puede ser posterior a ${actual}` };
  if (ejercicio >= actual - back) return null;
  return {
    campo: 'ejercicio',
    motivo: `no puede ser anterior a ${actual - back}: es lo más antiguo que el SAT da completo`,
  };
}
