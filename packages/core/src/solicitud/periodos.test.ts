import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CanalSat } from '../credencial.ts';
import type { TipoDescarga } from '../ports/metadata.ts';
import {
  addDays,
  calendarDay,
  divide,
  fromSeconds,
  nextMonth,
  periodoPedido,
  periodosIniciales,
  pideDeMas,
  toSeconds,
  wallClock,
} from './periodos.ts';

const LATER = new Date('2030-01-01T12:00:00Z');
const canal = fc.constantFrom<CanalSat>('soap', 'portal');
const tipo = fc.constantFrom<TipoDescarga>('emitidos', 'recibidos');
const day = fc.integer({ min: 0, max: 2_190 }).map((n) => addDays('2020-01-01', n));

describe('the wall clock of central Mexico', () => {
  it('is six hours behind UTC in every month', () => {
    expect(wallClock(new Date('2026-07-01T05:59:59Z'))).toBe('2026-06-30T23:59:59');
    expect(wallClock(new Date('2026-01-01T06:00:00Z'))).toBe('2026-01-01T00:00:00');
  });
  it('knows the next month', () => {
    expect(nextMonth('2025-12-31')).toBe('2026-01-01');
    expect(nextMonth('2024-01-31')).toBe('2024-02-01');
  });
});

/** Whether the periods follow each other second by second from the first day to the last. */
function covers(periodos: readonly { inicio: string; fin: string }[], inicio: string, fin: string): boolean {
  let next = toSeconds(inicio);
  for (const periodo of periodos) {
    if (toSeconds(periodo.inicio) !== next || periodo.fin < periodo.inicio) return false;
    next = toSeconds(periodo.fin) + 1;
  }
  return next === toSeconds(fin) + 1;
}

describe('periodosIniciales', () => {
  it('is one period for the web service', () => {
    expect(
      periodosIniciales({ canal: 'soap', tipo: 'recibidos', desde: '2025-01-15', hasta: '2025-03-02', ahora: LATER }),
    ).toEqual([{ inicio: '2025-01-15T00:00:00', fin: '2025-03-02T23:59:59' }]);
  });

  it('is one period a calendar month for received CFDI in the portal', () => {
    expect(
      periodosIniciales({ canal: 'portal', tipo: 'recibidos', desde: '2024-01-15', hasta: '2024-03-02', ahora: LATER }),
    ).toEqual([
      { inicio: '2024-01-15T00:00:00', fin: '2024-01-31T23:59:59' },
      { inicio: '2024-02-01T00:00:00', fin: '2024-02-29T23:59:59' },
      { inicio: '2024-03-01T00:00:00', fin: '2024-03-02T23:59:59' },
    ]);
  });

  it('ends now when today is asked for, and never before its second second', () => {
    const ahora = new Date('2025-05-05T15:30:00Z');
    const of = (instant: Date) =>
      periodosIniciales({ canal: 'soap', tipo: 'emitidos', desde: '2025-05-05', hasta: '2025-05-05', ahora: instant });
    expect(of(ahora)).toEqual([{ inicio: '2025-05-05T00:00:00', fin: '2025-05-05T09:30:00' }]);
    expect(of(new Date('2025-05-05T06:00:00Z'))).toEqual([
      { inicio: '2025-05-05T00:00:00', fin: '2025-05-05T00:00:01' },
    ]);
  });

  it('leaves nothing out and overlaps nowhere', () => {
    fc.assert(
      fc.property(canal, tipo, day, fc.integer({ min: 0, max: 900 }), (c, t, desde, length) => {
        const hasta = addDays(desde, length);
        const periodos = periodosIniciales({ canal: c, tipo: t, desde, hasta, ahora: LATER });
        expect(covers(periodos, `${desde}T00:00:00`, `${hasta}T23:59:59`)).toBe(true);
        if (c === 'portal' && t === 'recibidos')
          for (const { inicio, fin } of periodos) expect(inicio.slice(0, 7)).toBe(fin.slice(0, 7));
      }),
    );
  });
});

describe('dividir', () => {
  it('leaves nothing out, overlaps nowhere and always comes to an end', () => {
    fc.assert(
      fc.property(canal, tipo, day, fc.integer({ min: 1, max: 2_000_000 }), (c, t, start, seconds) => {
        const inicio = `${start}T00:00:00`;
        const month = toSeconds(`${nextMonth(start)}T00:00:00`) - toSeconds(inicio) - 1;
        const isByMonth = c === 'portal' && t === 'recibidos';
        const fin = fromSeconds(toSeconds(inicio) + (isByMonth ? Math.min(seconds, month) : seconds));
        const pieces = divide({ canal: c, tipo: t, periodo: { inicio, fin } });
        if (pieces === null) {
          expect(toSeconds(fin) - toSeconds(inicio)).toBeLessThan(3);
          return;
        }
        expect(pieces.length).toBeGreaterThan(1);
        expect(covers(pieces, inicio, fin)).toBe(true);
        for (const piece of pieces) expect(piece.inicio < piece.fin).toBe(true);
      }),
    );
  });

  it('divides a month of the portal into days, a day into halves', () => {
    const days = divide({
      canal: 'portal',
      tipo: 'recibidos',
      periodo: { inicio: '2025-02-01T00:00:00', fin: '2025-02-28T23:59:59' },
    });
    expect(days).toHaveLength(28);
    expect(
      divide({
        canal: 'portal',
        tipo: 'recibidos',
        periodo: { inicio: '2025-02-01T00:00:00', fin: '2025-02-01T23:59:59' },
      }),
    ).toEqual([
      { inicio: '2025-02-01T00:00:00', fin: '2025-02-01T11:59:59' },
      { inicio: '2025-02-01T12:00:00', fin: '2025-02-01T23:59:59' },
    ]);
  });
});

describe('periodoPedido', () => {
  const periodo = { inicio: '2025-01-01T00:00:00', fin: '2025-01-31T23:59:59' };
  it('widens outwards, so that nothing of the part is left out', () => {
    expect(periodoPedido({ canal: 'soap', periodo, desfase: 0, ahora: LATER })).toEqual(periodo);
    expect(periodoPedido({ canal: 'soap', periodo, desfase: 2, ahora: LATER })).toEqual({
      ...periodo,
      fin: '2025-02-01T00:00:01',
    });
  });
  it('moves the start when the end would be in the future', () => {
    const ahora = new Date('2025-02-01T06:00:00Z');
    expect(periodoPedido({ canal: 'soap', periodo, desfase: 1, ahora })).toEqual({
      ...periodo,
      inicio: '2024-12-31T23:59:59',
    });
  });
  it('leaves the portal alone', () => {
    expect(periodoPedido({ canal: 'portal', periodo, desfase: 3, ahora: LATER })).toEqual(periodo);
  });
});

describe('pideDeMas', () => {
  const month = { inicio: '2025-01-05T00:00:00', fin: '2025-01-31T23:59:59' };
  it.each([
    ['soap', 'recibidos', 0, false],
    ['soap', 'recibidos', 1, true],
    ['portal', 'recibidos', 0, true],
    ['portal', 'emitidos', 0, false],
  ] as const)('%s %s with %i seconds more: %s', (c, t, desfase, expected) => {
    expect(pideDeMas({ canal: c, tipo: t, periodo: month, desfase })).toBe(expected);
  });
});

describe('today in central Mexico', () => {
  it.each([
    ['2026-11-20T05:59:59.999Z', '2026-11-19'],
    ['2026-11-20T06:00:00.000Z', '2026-11-20'],
    // No daylight saving time since October 2022: July is UTC-6 as well.
    ['2026-07-01T05:30:00.000Z', '2026-06-30'],
    ['2027-01-01T05:59:59.000Z', '2026-12-31'],
  ])('%s is %s', (instant, day) => {
    expect(calendarDay(new Date(instant))).toBe(day);
  });

  it('counts days over the end of a month', () => {
    expect(addDays('2026-03-01', -30)).toBe('2026-01-30');
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  });
});

it('reads the wall clock, and writes it, as text', () => {
  expect(wallClock(new Date('2026-11-20T18:00:07.900Z'))).toBe('2026-11-20T12:00:07');
  expect(fromSeconds(toSeconds('2026-02-28T23:59:59') + 1)).toBe('2026-03-01T00:00:00');
  expect([nextMonth('2026-12-31'), nextMonth('2026-01-31')]).toEqual(['2027-01-01', '2026-02-01']);
});
