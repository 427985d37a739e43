import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPeriodo, requiereRecorte } from './consultas/busqueda.ts';

const instante = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2030-12-31T00:00:00Z'), noInvalidDate: true })
  .map((d) => d.toISOString().slice(0, 19));

describe('requiereRecorte', () => {
  it.each([
    ['a day', '2026-03-05T00:00:00', '2026-03-05T23:59:59', false],
    ['a second', '2026-03-05T10:00:00', '2026-03-05T10:00:00', false],
    ['a whole month', '2026-03-01T00:00:00', '2026-03-31T23:59:59', false],
    ['a whole February', '2028-02-01T00:00:00', '2028-02-29T23:59:59', false],
    ['a month without its last second', '2026-03-01T00:00:00', '2026-03-31T23:59:58', true],
    ['a month without its first second', '2026-03-01T00:00:01', '2026-03-31T23:59:59', true],
    ['a February that ends early', '2028-02-01T00:00:00', '2028-02-28T23:59:59', true],
    ['two days', '2026-03-05T00:00:00', '2026-03-06T23:59:59', true],
  ])('received, %s', (_name, inicio, fin, expected) => {
    expect(requiereRecorte('recibidos', { inicio, fin })).toBe(expected);
  });

  it('is never needed for issued CFDI, over whatever period', () => {
    fc.assert(
      fc.property(instante, instante, (a, b) => {
        const [inicio = '', fin = ''] = [a, b].sort();
        expect(requiereRecorte('emitidos', { inicio, fin })).toBe(false);
      }),
    );
  });

  it('refuses received CFDI over two months, and only those', () => {
    fc.assert(
      fc.property(instante, instante, (a, b) => {
        const [inicio = '', fin = ''] = [a, b].sort();
        const ask = () => requiereRecorte('recibidos', { inicio, fin });
        if (inicio.slice(0, 7) === fin.slice(0, 7)) ask();
        else expect(ask).toThrow(RangeError);
      }),
    );
  });
});

describe('readPeriodo', () => {
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
