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
  const iso = new Date(time * 1000).toISOString();
  return `${iso.slice(0, 10)}${separator}${iso.slice(11, 19)}`;
}

/** The wall clock of central Mexico at an instant (UTC-6 all year since October 2022). */
export function wallTimeOf(date: Date): WallTime {
  return Math.floor(date.getTime() / 1000) - UTC_OFFSET;
}
