import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPeriodo } from './consultas/busqueda.ts';

const instante = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2030-12-31T00:00:00Z'), noInvalidDate: true })
  .map((d) => d.toISOString().slice(0, 19));

describe('readPeriodo', () => {
  it('refuses received CFDI over two months, and only those', () => {
    fc.assert(
      fc.property(instante, instante, (a, b) => {
        const [inicio = '', fin = ''] = [a, b].sort();
        const ask = () => readPeriodo('recibidos', { inicio, fin });
        if (inicio.slice(0, 7) === fin.slice(0, 7)) ask();
        else expect(ask).toThrow(RangeError);
      }),
    );
  });

  it.each([
    '2026-02-30T00:00:00',
    '2026-01-01',
    '2026-01-01T24:00:00',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01T00:00:00',
    '',
  ])('refuses %j', (texto) => {
    expect(() => readPeriodo('emitidos', { inicio: texto, fin: '2027-01-01T00:00:00' })).toThrow(RangeError);
  });
});
