import type { CanalSat } from '../credencial.ts';
import type { Periodo, TipoDescarga } from '../ports/metadata.ts';

/**
 * Wall clock of central Mexico as text (`yyyy-MM-ddTHH:mm:ss`). UTC-6 all year: daylight saving ended with the Ley de
 * los Husos Horarios of 30 October 2022. Periods before that date are calendar days as the SAT prints them, so no
 * offset is needed for them.
 */
const OFFSET_MS = 6 * 3_600_000;

/** The wall clock at an instant. */
export function wallClock(instant: Date): string {
  return new Date(instant.getTime() - OFFSET_MS).toISOString().slice(0, 19);
}

/** The calendar day at an instant, `yyyy-MM-dd`. */
export function calendarDay(instant: Date): string {
  return wallClock(instant).slice(0, 10);
}

/** Seconds of a wall clock on a time line of its own; only differences mean something. */
export function toSeconds(wall: string): number {
  return Date.parse(`${wall}Z`) / 1000;
}

/** The wall clock of {@link toSeconds}. */
export function fromSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** The first day of the month after the one of `day`. */
export function nextMonth(day: string): string {
  const date = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + 1);
  return date.toISOString().slice(0, 10);
}

/** The day `days` after `day`. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The portal asks received CFDI by a day with times, or by a whole calendar month; at most one month a request. */
const isByMonth = (canal: CanalSat, tipo: TipoDescarga) => canal === 'portal' && tipo === 'recibidos';

const dayOf = (wall: string) => wall.slice(0, 10);

/**
 * The periods that a solicitud starts with. An end in the future is clipped to `ahora`, since the SAT takes none; a
 * period that would then be empty keeps its first two seconds.
 */
export function periodosIniciales(input: {
  canal: CanalSat;
  tipo: TipoDescarga;
  desde: string;
  hasta: string;
  ahora: Date;
}): Periodo[] {
  const { canal, tipo, desde, hasta } = input;
  const inicio = `${desde}T00:00:00`;
  const clipped = Math.min(toSeconds(`${hasta}T23:59:59`), toSeconds(wallClock(input.ahora)));
  const fin = fromSeconds(Math.max(clipped, toSeconds(inicio) + 1));
  return periodosDe({ canal, tipo, periodo: { inicio, fin } });
}

/** The periods that a channel is asked for in the place of one. */
export function periodosDe(input: { canal: CanalSat; tipo: TipoDescarga; periodo: Periodo }): Periodo[] {
  const { inicio, fin } = input.periodo;
  if (!isByMonth(input.canal, input.tipo)) return [input.periodo];
  const months: Periodo[] = [];
  for (let day = dayOf(inicio); day <= dayOf(fin); day = nextMonth(day)) {
    const first = day === dayOf(inicio) ? inicio : `${day}T00:00:00`;
    const last = `${addDays(nextMonth(day), -1)}T23:59:59`;
    months.push({ inicio: first, fin: last < fin ? last : fin });
  }
  return months;
}

/**
 * The same period in smaller pieces that do not overlap and leave nothing out, or null when it cannot be divided: the
 * SAT wants its ends to differ, so a piece has at least two seconds.
 */
export function divide(input: { canal: CanalSat; tipo: TipoDescarga; periodo: Periodo }): Periodo[] | null {
  const { inicio, fin } = input.periodo;
  if (isByMonth(input.canal, input.tipo) && dayOf(inicio) !== dayOf(fin)) {
    const days: Periodo[] = [];
    for (let day = dayOf(inicio); day <= dayOf(fin); day = addDays(day, 1)) {
      const from = day === dayOf(inicio) ? inicio : `${day}T00:00:00`;
      const to = day === dayOf(fin) ? fin : `${day}T23:59:59`;
      days.push({ inicio: from, fin: to });
    }
    return days;
  }
  const [from, to] = [toSeconds(inicio), toSeconds(fin)];
  if (to - from < 3) return null;
  const middle = Math.floor((from + to) / 2);
  return [
    { inicio, fin: fromSeconds(middle) },
    { inicio: fromSeconds(middle + 1), fin },
  ];
}

/**
 * The period to ask for: the part's own, widened outwards by `desfase` seconds, since to the SAT another second is
 * another request. The start moves when the end would lie in the future. The portal has no such rule and is asked for
 * the part itself.
 */
export function periodoPedido(input: { canal: CanalSat; periodo: Periodo; desfase: number; ahora: Date }): Periodo {
  const { periodo, desfase } = input;
  if (desfase === 0 || input.canal === 'portal') return periodo;
  const fin = fromSeconds(toSeconds(periodo.fin) + desfase);
  if (fin < wallClock(input.ahora)) return { inicio: periodo.inicio, fin };
  return { inicio: fromSeconds(toSeconds(periodo.inicio) - desfase), fin: periodo.fin };
}

/** True when the SAT is asked for more than the part, so that rows outside of it have to be left out. */
export function pideDeMas(input: { canal: CanalSat; tipo: TipoDescarga; periodo: Periodo; desfase: number }): boolean {
  const { inicio, fin } = input.periodo;
  if (input.canal === 'soap') return input.desfase > 0;
  return isByMonth(input.canal, input.tipo) && dayOf(inicio) !== dayOf(fin);
}
