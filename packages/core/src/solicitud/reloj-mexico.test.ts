import { describe, expect, it } from 'vitest';
import { addDays, calendarDay, fromSeconds, nextMonth, toSeconds, wallClock } from './reloj-mexico.ts';

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
