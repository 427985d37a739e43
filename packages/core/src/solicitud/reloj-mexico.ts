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
