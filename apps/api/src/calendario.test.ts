import { describe, expect, it } from 'vitest';
import { checkPeriodo, diasAntes, hoyEnMexico } from './calendario.ts';

describe('today in central Mexico', () => {
  it.each([
    ['2026-11-20T05:59:59.999Z', '2026-11-19'],
    ['2026-11-20T06:00:00.000Z', '2026-11-20'],
    // No daylight saving time since October 2022: July is UTC-6 as well.
    ['2026-07-01T05:30:00.000Z', '2026-06-30'],
    ['2027-01-01T05:59:59.000Z', '2026-12-31'],
  ])('%s is %s', (instant, day) => {
    expect(hoyEnMexico(new Date(instant))).toBe(day);
  });

  it('counts days back over the end of a month', () => {
    expect(diasAntes('2026-03-01', 30)).toBe('2026-01-30');
  });
});

describe('checkPeriodo', () => {
  const now = new Date('2026-11-20T18:00:00Z');
  const check = (desde: string, hasta: string, at = now) => checkPeriodo({ desde, hasta }, at);

  it('takes one day, today, and six years', () => {
    expect(check('2026-11-20', '2026-11-20')).toBeNull();
    expect(check('2020-11-20', '2026-11-20')).toBeNull();
  });

  it.each([
    ['2026-11-01', '2026-11-21', 'hasta'],
    ['2026-11-02', '2026-11-01', 'desde'],
    ['2020-11-19', '2026-11-20', 'desde'],
  ])('refuses %s to %s', (desde, hasta, campo) => {
    expect(check(desde, hasta)?.campo).toBe(campo);
  });

  it('knows that today is still yesterday after midnight in Greenwich', () => {
    expect(check('2026-11-20', '2026-11-20', new Date('2026-11-20T05:00:00Z'))?.campo).toBe('hasta');
  });

  it('goes back from 29 February to a year that has none', () => {
    const leap = new Date('2028-02-29T18:00:00Z');
    expect(check('2022-02-28', '2028-02-29', leap)).toBeNull();
    expect(check('2022-02-27', '2028-02-29', leap)?.campo).toBe('desde');
  });
});
