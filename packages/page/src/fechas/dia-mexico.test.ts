import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDias, diaDe, isoMexico, startOfDia } from './dia-mexico.ts';

describe('days of central Mexico', () => {
  it('begin at 06:00 UTC, and began at 05:00 UTC in the summers until 2022', () => {
    expect(startOfDia('2026-07-01')?.toISOString()).toBe('2026-07-01T06:00:00.000Z');
    expect(startOfDia('2022-07-01')?.toISOString()).toBe('2022-07-01T05:00:00.000Z');
    // The days on which the clocks changed.
    expect(startOfDia('2022-04-03')?.toISOString()).toBe('2022-04-03T06:00:00.000Z');
    expect(startOfDia('2022-04-04')?.toISOString()).toBe('2022-04-04T05:00:00.000Z');
    expect(startOfDia('2022-10-30')?.toISOString()).toBe('2022-10-30T05:00:00.000Z');
    expect(startOfDia('2022-10-31')?.toISOString()).toBe('2022-10-31T06:00:00.000Z');
  });

  it.each(['', '2026-02-29', '2026-13-01', '2026-1-1', '20260101', '2026-01-01T00:00', '1800-01-01', '+002026-01-01'])(
    'are not %j',
    (dia) => {
      expect(startOfDia(dia)).toBeNull();
    },
  );

  it('contain the instants between their beginnings, to the millisecond', () => {
    const fecha = fc.date({ min: new Date('2015-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(fecha, (instant) => {
        const dia = diaDe(instant);
        expect(startOfDia(dia)?.getTime()).toBeLessThanOrEqual(instant.getTime());
        expect(startOfDia(addDias(dia, 1))?.getTime()).toBeGreaterThan(instant.getTime());
        expect(new Date(isoMexico(instant)).getTime()).toBe(instant.getTime());
        expect(isoMexico(instant).slice(0, 10)).toBe(dia);
      }),
      { numRuns: 500 },
    );
  });

  it('are written with their offset', () => {
    expect(isoMexico(new Date('2026-11-21T05:59:27.123Z'))).toBe('2026-11-20T23:59:27.123-06:00');
  });
});
