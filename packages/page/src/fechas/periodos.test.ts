import { describe, expect, it } from 'vitest';
import { periodosDe } from './periodos.tsx';

const at = (iso: string) =>
  Object.fromEntries(periodosDe(new Date(iso)).map(({ texto, desde, hasta }) => [texto, `${desde}/${hasta}`]));

describe('named periods', () => {
  it('are whole months and years of central Mexico that do not end after today', () => {
    expect(at('2026-11-22T18:00:00Z')).toEqual({
      'Este mes': '2026-11-01/2026-11-22',
      'Mes pasado': '2026-10-01/2026-10-31',
      'Este año': '2026-01-01/2026-11-22',
      'Año pasado': '2025-01-01/2025-12-31',
      'Últimos 12 meses': '2025-11-01/2026-10-31',
    });
  });

  it('begin where the day begins in Mexico, also across a year and in a leap year', () => {
    // Still 31 December in Mexico.
    expect(at('2026-01-01T05:30:00Z')).toMatchObject({
      'Este mes': '2025-12-01/2025-12-31',
      'Este año': '2025-01-01/2025-12-31',
    });
    expect(at('2024-03-10T18:00:00Z')).toMatchObject({ 'Mes pasado': '2024-02-01/2024-02-29' });
    expect(at('2026-01-15T18:00:00Z')).toMatchObject({ 'Mes pasado': '2025-12-01/2025-12-31' });
  });
});
