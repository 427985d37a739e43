/** The time zone in which days begin and times are written (IANA). */
export const ZONA = 'America/Mexico_City';

const PARTES = new Intl.DateTimeFormat('en-CA', {
  timeZone: ZONA,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** What the clocks of central Mexico show at an instant, as milliseconds of UTC. */
function wallClock(fecha: Date): number {
  const parte = new Map(PARTES.formatToParts(fecha).map(({ type, value }) => [type, Number(value)]));
  const of = (tipo: Intl.DateTimeFormatPartTypes) => parte.get(tipo) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

const offsetOf = (fecha: Date) => wallClock(fecha) - Math.floor(fecha.getTime() / 1_000) * 1_000;

/** The day of central Mexico (yyyy-mm-dd) at an instant. */
export function diaDe(fecha: Date): string {
  return new Date(wallClock(fecha)).toISOString().slice(0, 10);
}

/** The day (yyyy-mm-dd) so many days after another. */
export function addDias(dia: string, dias: number): string {
  return new Date(Date.parse(`${dia}T00:00:00Z`) + dias * 86_400_000).toISOString().slice(0, 10);
}

/** The first instant of a day of central Mexico. Null when `dia` is not a real day written yyyy-mm-dd. */
export function startOfDia(dia: string): Date | null {
  const utc = Date.parse(`${dia}T00:00:00Z`);
  if (!/^(19|20)\d{2}-\d{2}-\d{2}$/.test(dia) || Number.isNaN(utc)) return null;
  if (new Date(utc).toISOString().slice(0, 10) !== dia) return null;
  // The offset is that of the day itself, also where it had another on the day before.
  const guess = new Date(utc - offsetOf(new Date(utc)));
  return new Date(utc - offsetOf(guess));
}

/** ISO 8601 with the offset of central Mexico: `2026-11-21T05:59:27.123-06:00`. */
export function isoMexico(fecha: Date): string {
  const offset = offsetOf(fecha);
  const local = new Date(fecha.getTime() + offset).toISOString().slice(0, -1);
  const minutos = Math.abs(offset) / 60_000;
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(minutos / 60)}:${two(minutos % 60)}`;
}

/** The months as charts and timelines write them, January first. */
const MESES = ['ene', 'feb', 'mar', 'abr', 'may', 'jun', 'jul', 'ago', 'sep', 'oct', 'nov', 'dic'];

/** A month (`01` to `12`) in three letters; other texts stay. */
export function mesCorto(month: string): string {
  return MESES[Number(month) - 1] ?? month;
}
