/**
 * SAT dates are wall clock of central Mexico without a zone. They are handled as seconds since
 * 1970-01-01T00:00:00 of that same wall clock, so that arithmetic needs no zone at all.
 */
export type WallTime = number;

/** Seconds of a day. */
export const DAY = 86_400;
const UTC_OFFSET = 6 * 3600;
const FORM = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2}))?$/;

/** Reads `yyyy-MM-dd` or `yyyy-MM-ddTHH:mm:ss`; null for any other form and for days that do not exist. */
export function parseWallTime(text: string): WallTime | null {
  const match = FORM.exec(text);
  if (!match) return null;
  const iso = `${match[1]}T${match[2] ?? '00:00:00'}.000Z`;
  const ms = Date.parse(iso);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== iso ? null : ms / 1000;
}

/** Writes `yyyy-MM-dd HH:mm:ss`, or with `T` when asked. */
export function formatWallTime(time: WallTime, separator: ' ' | 'T' = ' '): string {
  const day = Math.floor(time / DAY);
  const second = time - day * DAY;
  const minute = (second / 60) | 0;
  return `${formatDay(day)}${separator}${MINUTES[minute]}${TWO[second - minute * 60]}`;
}

const TWO = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
/** Of a day, with the colon before the seconds. */
const MINUTES = Array.from({ length: 24 * 60 }, (_, n) => `${TWO[Math.floor(n / 60)]}:${TWO[n % 60]}:`);
const days = new Map<number, string>();

/** Days repeat by the thousand in a package, so a bounded memory of them spares most of the work. */
function formatDay(day: number): string {
  let text = days.get(day);
  if (text === undefined) {
    text = new Date(day * DAY * 1000).toISOString().slice(0, 10);
    if (days.size > 4096) days.clear();
    days.set(day, text);
  }
  return text;
}

/** The wall clock of central Mexico at an instant (UTC-6 all year since October 2022). */
export function wallTimeOf(date: Date): WallTime {
  return Math.floor(date.getTime() / 1000) - UTC_OFFSET;
}

/** The calendar year of a time. */
export function yearOf(time: WallTime): number {
  return new Date(time * 1000).getUTCFullYear();
}
