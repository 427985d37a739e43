import type { Reparo } from './http/operation.ts';

const MEXICO_OFFSET_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;
const YEARS_BACK = 6;

/**
 * Today's calendar day in central Mexico, `yyyy-MM-dd`: UTC-6 all year, since daylight saving time ended in October 2022 (Ley de los
 * Husos Horarios en los Estados Unidos Mexicanos).
 */
export function hoyEnMexico(now: Date): string {
  return ventana(now).hoy;
}

/** The days a period may lie in, and the count of days since 1970 of the day in Mexico on which that holds. */
interface Ventana {
  readonly numero: number;
  readonly hoy: string;
  readonly primero: string;
}

let ultima: Ventana | null = null;

/** Kept until the day changes: every request asks for it. */
function ventana(now: Date): Ventana {
  const ms = now.getTime() - MEXICO_OFFSET_MS;
  const numero = Math.floor(ms / DAY_MS);
  if (ultima?.numero === numero) return ultima;
  const hoy = dia(ms);
  ultima = { numero, hoy, primero: seisAniosAntes(hoy) };
  return ultima;
}

/** The day `days` before a calendar day. */
export function diasAntes(fecha: string, days: number): string {
  return dia(Date.parse(`${fecha}T00:00:00Z`) - days * DAY_MS);
}

function dia(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The same day six years earlier; 28 February for a 29th that does not exist then. */
function seisAniosAntes(fecha: string): string {
  const year = String(Number(fecha.slice(0, 4)) - YEARS_BACK);
  const moved = `${year}${fecha.slice(4)}`;
  return dia(Date.parse(`${moved}T00:00:00Z`)) === moved ? moved : `${year}-02-28`;
}

/** The rules of a period: `desde` <= `hasta` <= today, and not more than six years back. Null when it keeps them. */
export function checkPeriodo({ desde, hasta }: { desde: string; hasta: string }, now: Date): Reparo | null {
  const { hoy, primero } = ventana(now);
  if (hasta > hoy)
    return { campo: 'hasta', motivo: `no puede ser posterior a hoy (${hoy}, centro de México)` };
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
export function checkEjercicio(ejercicio: number, back: number, now: Date): Reparo | null {
  const actual = Number(ventana(now).hoy.slice(0, 4));
  if (ejercicio > actual) return { campo: 'ejercicio', motivo: `no puede ser posterior a ${actual}` };
  if (ejercicio >= actual - back) return null;
  return {
    campo: 'ejercicio',
    motivo: `no puede ser anterior a ${actual - back}: es lo más antiguo que el SAT da completo`,
  };
}
