import { describe, expect, it } from 'vitest';
import { checkPeriodo } from './fields.ts';

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
    const midnight = Date.parse('2026-11-20T06:00:00Z');
    expect(check('2026-11-20', '2026-11-20', new Date(midnight - 1))?.campo).toBe('hasta');
    expect(check('2026-11-20', '2026-11-20', new Date(midnight))).toBeNull();
  });

  it('goes back from 29 February to a year that has none', () => {
    const leap = new Date('2028-02-29T18:00:00Z');
    expect(check('2022-02-28', '2028-02-29', leap)).toBeNull();
    expect(check('2022-02-27', '2028-02-29', leap)?.campo).toBe('desde');
  });
});
