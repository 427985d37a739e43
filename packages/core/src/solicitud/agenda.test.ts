import { describe, expect, it } from 'vitest';
import { isRetrasada, waitAfterFailure, waitAfterPoll } from './agenda.ts';

const HOUR = 3_600;
const agenda = {
  primeraSegundos: 60,
  factor: 1.5,
  maximaSegundos: 1_800,
  portalSegundos: [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR],
  retrasadaSegundos: 12 * HOUR,
  vaciaSegundos: HOUR,
};
const middle = () => 0.5;
const NOW = new Date('2025-06-05T12:00:00Z');
/** The last four digits of the id spread the looks of a solicitud by up to a tenth, and only later. */
const [EARLY, LATE] = ['01936f5e-7c3a-7b1e-8f00-2a4b6c8d0000', '01936f5e-7c3a-7b1e-8f00-2a4b6c8dffff'];

const soap = (consultas: number, random = middle, hours = 0) =>
  waitAfterPoll(
    agenda,
    { id: EARLY, canal: 'soap', creadaEn: new Date(NOW.getTime() - hours * HOUR * 1_000), now: NOW, consultas },
    random,
  );

/**
 * Hours after the acceptance at which the portal is looked at within the first `days`, when each look takes `lag`
 * seconds.
 */
function looks(id: string, days: number, lag = 5): number[] {
  const at: number[] = [];
  for (let age = lag; age < days * 24 * HOUR; age += lag) {
    const now = new Date(NOW.getTime() + age * 1_000);
    age += waitAfterPoll(agenda, { id, canal: 'portal', creadaEn: NOW, now, consultas: at.length });
    at.push(age / HOUR);
  }
  return at.filter((hour) => hour <= days * 24);
}

describe('waitAfterPoll', () => {
  it('grows and is capped by e.firma', () => {
    const waits = [0, 1, 2, 5, 50, 1e9].map((n) => Math.round(soap(n)));
    expect(waits).toEqual([60, 90, 135, 456, 1_800, 1_800]);
  });
  it('is spread by a tenth', () => {
    expect(soap(0, () => 0)).toBeCloseTo(54);
    expect(soap(0, () => 1)).toBeCloseTo(66);
  });
  it.each([
    [EARLY, 1],
    [LATE, 1.1],
  ])('is at hours 1, 3, 6, 12 and every 12 by CIEC, the same for all parts: %s', (id, spread) => {
    const hours = [1, 3, 6, 12, 24, 36, 48];
    expect(looks(id, 2).map((hour) => (hour / spread).toFixed(6))).toEqual(
      hours.filter((hour) => hour * spread <= 48).map((hour) => hour.toFixed(6)),
    );
    // With the one that asked, and one in vain.
    expect(1 + looks(id, 1).filter((hour) => hour < 24).length + 1).toBeLessThanOrEqual(6);
  });
  it('is rare from 72 hours on, whatever the channel', () => {
    expect(soap(400, middle, 71.9)).toBe(1_800);
    expect(soap(400, middle, 72)).toBe(12 * HOUR);
    expect(looks(EARLY, 7).filter((hour) => hour > 72).length).toBeLessThanOrEqual(8);
  });
});

it('isRetrasada from 72 hours on', () => {
  const after = (hours: number) => isRetrasada(NOW, new Date(NOW.getTime() + hours * HOUR * 1_000));
  expect([after(0), after(71.99), after(72), after(200)]).toEqual([false, false, true, true]);
});

describe('waitAfterFailure', () => {
  it('doubles from half a minute and is capped', () => {
    expect([0, 1, 2, 10, 1e9].map((n) => Math.round(waitAfterFailure(agenda, n, middle)))).toEqual([
      30, 60, 120, 1_800, 1_800,
    ]);
  });
});
