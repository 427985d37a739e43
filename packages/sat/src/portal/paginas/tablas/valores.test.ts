import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEstado, readFecha, readImporte, readInstant, readRfc, readUuid } from './valores.ts';

const unreadable = expect.objectContaining({ motivo: 'RESPUESTA_ILEGIBLE' });

function tryRead(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

describe('readImporte', () => {
  it.each([
    ['$1,234.00', 1234],
    ['$0.00', 0],
    ['0.01', 0.01],
    ['$ 12.5', 12.5],
    ['$1,234,567.891234', 1234567.891234],
    ['1234', 1234],
    ['$000123.40', 123.4],
    ['$999,999,999,999,999', 999_999_999_999_999],
  ])('reads %s', (texto, numero) => expect(readImporte(texto)).toBe(numero));

  it.each([
    '',
    '$',
    '-$1.00',
    '($1.00)',
    '$1,23.00',
    '$12,34',
    '1.234,00',
    '$1.',
    '1e9',
    'NaN',
    '$1,234.0000001',
    '$1 234.00',
    '９',
    '$9,999,999,999,999,999.00',
    '$1.00 MXN',
  ])('does not guess what %j is', (texto) => expect(() => readImporte(texto)).toThrow(unreadable));

  it('reads back every amount as the portal writes it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999_999_999_99 }), (centavos) => {
        const texto = `$${Math.floor(centavos / 100).toLocaleString('en-US')}.${String(centavos % 100).padStart(2, '0')}`;
        expect(readImporte(texto)).toBe(centavos / 100);
      }),
    );
  });
});

describe('dates', () => {
  it.each([
    ['2026-01-31T23:36:58', '2026-01-31T23:36:58'],
    ['2026-01-31 23:36:58', '2026-01-31T23:36:58'],
    ['2026-01-31T23:36:58.123', '2026-01-31T23:36:58'],
    ['31/01/2026 23:36:58', '2026-01-31T23:36:58'],
    ['2024-02-29', '2024-02-29'],
    ['29/02/2024', '2024-02-29'],
  ])('reads %s', (texto, fecha) => expect(readFecha(texto)).toBe(fecha));

  it.each([
    '',
    '2026-02-30T00:00:00',
    '2026-02-29',
    '01/31/2026',
    '2026-01-31T24:00:00',
    '2026-01-31T23:60:00',
    '2026-1-1',
    '0000-00-00',
    '2026-01-31T23:36:58Z',
    '31-ene-2026',
  ])('does not guess what %j is', (texto) => expect(() => readFecha(texto)).toThrow(unreadable));

  it('wants the time where an instant is due', () => {
    expect(readInstant('2026-01-31T00:00:00')).toBe('2026-01-31T00:00:00');
    expect(() => readInstant('2026-01-31')).toThrow(unreadable);
  });
});

describe('words', () => {
  it('reads folios, RFCs and states', () => {
    expect(readUuid('170fb008-a9f3-4bee-a8f9-9763f87a5e44')).toBe('170FB008-A9F3-4BEE-A8F9-9763F87A5E44');
    expect(readRfc('H&E951128469')).toBe('H&E951128469');
    expect(readRfc('O\u004e\u0303O120726RX3')).toBe('OÑO120726RX3');
    expect([readEstado('Vigente'), readEstado('CANCELADO'), readEstado('Cancelada')]).toEqual([
      'VIGENTE',
      'CANCELADO',
      'CANCELADO',
    ]);
  });

  it('gives a value of its kind or a typed error for any text', () => {
    const reads = [readUuid, readRfc, readImporte, readFecha, readInstant, readEstado];
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom(...reads), (texto, read) => {
        const outcome = tryRead(() => read(texto));
        if (outcome instanceof SatError) expect(outcome.motivo).toBe('RESPUESTA_ILEGIBLE');
        else expect(typeof outcome === 'string' || Number.isFinite(outcome)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
