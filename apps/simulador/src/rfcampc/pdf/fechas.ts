import { mesDe } from '../../world/texts.ts';
import { formatWallTime, wallTimeOf } from '../../world/wall-time.ts';

/** `dd DE MES DE yyyy` from `yyyy-MM-dd`. */
export function longDate(dia: string): string {
  const [year = '', month = '', day = ''] = dia.split('-');
  return `${day} DE ${mesDe(month).toUpperCase()} DE ${year}`;
}

/** `yyyy-MM-dd HH:mm:ss` in central Mexico. */
export function wallClock(date: Date): string {
  return formatWallTime(wallTimeOf(date));
}
