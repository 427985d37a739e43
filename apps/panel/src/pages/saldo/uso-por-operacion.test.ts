import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chartOf, totalsOf } from './uso-por-operacion.ts';

const uso = fc.array(
  fc.record({
    dia: fc.constantFrom('2026-01-30', '2026-01-31', '2026-02-01'),
    operacion: fc.constantFrom('a/a', 'b/b', 'c/c', 'd/d', 'e/e', 'f/f'),
    llamadas: fc.nat(9),
    cargados: fc.nat(9),
    reembolsados: fc.nat(9),
  }),
);

describe('usage of a period', () => {
  it('has every day, at most four series, and loses no credit', () => {
    fc.assert(
      fc.property(uso, (rows) => {
        const { series, puntos } = chartOf(rows, '2026-01-30', '2026-02-02');
        expect(puntos).toHaveLength(4);
        expect(series.length).toBeLessThanOrEqual(4);
        expect(puntos.every(({ valores }) => valores.length === series.length)).toBe(true);
        const drawn = puntos.flatMap(({ valores }) => valores).reduce((a, b) => a + b, 0);
        expect(drawn).toBe(rows.reduce((sum, { cargados }) => sum + cargados, 0));
        const totals = totalsOf(rows);
        expect(totals.reduce((sum, { cargados }) => sum + cargados, 0)).toBe(drawn);
        expect(totals.map(({ cargados }) => cargados)).toEqual(
          totals.map(({ cargados }) => cargados).sort((a, b) => b - a),
        );
      }),
    );
  });

  it('names four operations, and of more the three that cost most', () => {
    const of = (operacion: string, cargados: number) => ({
      dia: '2026-01-30',
      operacion,
      llamadas: cargados,
      cargados,
      reembolsados: 0,
    });
    const four = [of('a/a', 1), of('b/b', 4), of('c/c', 3), of('d/d', 2)];
    expect(chartOf(four, '2026-01-30', '2026-01-30').series).toEqual(['b/b', 'c/c', 'd/d', 'a/a']);
    const five = chartOf([...four, of('e/e', 9)], '2026-01-30', '2026-01-30');
    expect(five.series).toEqual(['e/e', 'b/b', 'c/c', 'Otras']);
    expect(five.puntos[0]?.valores).toEqual([9, 4, 3, 3]);
  });
});
