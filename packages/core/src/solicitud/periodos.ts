import type { Periodo } from '../periodo.ts';
import type { TipoDescarga } from '../ports/consultas/metadata.ts';
import type { CanalSat } from '../ports/sat.ts';
import { addDays, fromSeconds, nextMonth, toSeconds, wallClock } from './reloj-mexico.ts';

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
export function dividir(input: { canal: CanalSat; tipo: TipoDescarga; periodo: Periodo }): Periodo[] | null {
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
