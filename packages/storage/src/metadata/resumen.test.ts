import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { run } from '../../testing/run-transformer.ts';
import { SAT_HEADER, satLine, satRow, satText } from '../../testing/sat-rows.ts';

describe('the counts of metadata.csv', () => {
  test('are by kind and month, also of rows that need more than a copy', () => {
    const rows = [
      satRow(0, { fechaEmision: '2024-02-29 23:59:59', efecto: 'I', estatus: '1', fechaCancelacion: '' }),
      satRow(1, { fechaEmision: '2024-01-31 00:00:00', efecto: 'E', estatus: '0' }),
      satRow(2, { fechaEmision: '2024-02-01 00:00:00', efecto: 'Ingreso', nombreEmisor: 'A, "B"' }),
      satRow(3, { fechaEmision: '2024-02-01 00:00:00', efecto: 'n', nombreEmisor: 'A, B', estatus: '1' }),
      satRow(4, { fechaEmision: '2024-02-01 00:00:00', efecto: '' }),
      satRow(5, { fechaEmision: '2024-02-01 00:00:00', efecto: 'X', nombreEmisor: 'A, B' }),
    ];
    expect(run(satText(rows)).resumen.total).toEqual({
      porEfecto: { I: 2, E: 1, N: 1, otro: 2 },
      porMes: { '2024-01': { E: 1 }, '2024-02': { I: 2, N: 1, otro: 2 } },
      cancelados: 1,
    });
  });

  test('add up to the rows written, wherever the text is cut and whatever a row needs', () => {
    const row = fc.record({
      index: fc.nat(10_000),
      efecto: fc.constantFrom('I', 'E', 'T', 'N', 'P', '', 'Pago', 'otro'),
      month: fc.integer({ min: 1, max: 12 }),
      nombreEmisor: fc.constantFrom('SIMPLE', 'CON, COMA', 'CON "COMILLAS"'),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), fc.array(fc.nat(6_000)), (made, cuts) => {
        const rows = made.map(({ index, efecto, month, nombreEmisor }) =>
          satRow(index, { efecto, nombreEmisor, fechaEmision: `2024-${String(month).padStart(2, '0')}-05 10:00:00` }),
        );
        const recortar = { inicio: '2024-03-01T00:00:00', fin: '2024-10-31T23:59:59' };
        const { resumen, transformer } = run(satText(rows), cuts, { recortar });
        const inside = rows.filter((r) => r.fechaEmision >= '2024-03' && r.fechaEmision < '2024-11');
        const { porEfecto, porMes, cancelados } = resumen.total;
        const sum = (counts: object) => Object.values(counts).reduce((a, b) => a + Number(b), 0);
        expect(sum(porEfecto)).toBe(transformer.registros);
        expect(Object.values(porMes).reduce((total, month) => total + sum(month), 0)).toBe(inside.length);
        expect(cancelados).toBe(inside.filter((r) => r.estatus === '0').length);
        expect(porEfecto.P ?? 0).toBe(inside.filter((r) => r.efecto.startsWith('P')).length);
        for (const [month, counts] of Object.entries(porMes))
          expect(sum(counts)).toBe(inside.filter((r) => r.fechaEmision.startsWith(month)).length);
      }),
    );
  });

  test('keep to so many months, whatever dates a text holds', () => {
    const lines = Array.from({ length: 500 }, (_, index) =>
      satLine(satRow(index, { fechaEmision: `${1000 + index}-01-05 10:00:00`, efecto: 'I' })),
    );
    const { porEfecto, porMes } = run(`${SAT_HEADER}\r\n${lines.join('\r\n')}\r\n`).resumen.total;
    expect(Object.keys(porMes)).toHaveLength(241);
    expect(porMes['otro']).toEqual({ I: 260 });
    expect(porEfecto).toEqual({ I: 500 });
  });
});
