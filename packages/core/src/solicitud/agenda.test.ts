import { describe, expect, it } from 'vitest';
import { esperaTrasConsulta, esperaTrasFallo } from './agenda.ts';

const agenda = { primeraSegundos: 60, factor: 1.5, maximaSegundos: 1_800 };
const middle = () => 0.5;

describe('esperaTrasConsulta', () => {
  it('grows and is capped', () => {
    const waits = [0, 1, 2, 5, 50, 1e9].map((n) => Math.round(esperaTrasConsulta(agenda, n, middle)));
    expect(waits).toEqual([60, 90, 135, 456, 1_800, 1_800]);
  });
  it('is spread by a tenth', () => {
    expect(esperaTrasConsulta(agenda, 0, () => 0)).toBeCloseTo(54);
    expect(esperaTrasConsulta(agenda, 0, () => 1)).toBeCloseTo(66);
  });
});

describe('esperaTrasFallo', () => {
  it('doubles from half a minute and is capped', () => {
    expect([0, 1, 2, 10, 1e9].map((n) => Math.round(esperaTrasFallo(agenda, n, middle)))).toEqual([
      30, 60, 120, 1_800, 1_800,
    ]);
  });
});
