import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFecha, readLongDate, readMes, toDia } from '../../fechas.ts';

describe('readFecha', () => {
  it.each([
    ['17/03/2026', '2026-03-17'],
    [' 7-3-2026 ', '2026-03-07'],
    ['2026-03-17', '2026-03-17'],
    ['17/03/2026 23:59:00', '2026-03-17'],
    ['17/03/2026 09:05 hrs', '2026-03-17'],
    ['29/02/2028', '2028-02-29'],
    ['29/02/2026', null],
    ['31/04/2026', null],
    ['2026-13-01', null],
    ['17/03/26', null],
    ['17/03/2026x', null],
    ['', null],
  ])('%j is %j', (texto, dia) => {
    expect(readFecha(texto)).toBe(dia);
  });

  it('reads every day back', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1990-01-01'), max: new Date('2090-12-31'), noInvalidDate: true }),
        (fecha) => {
          const iso = fecha.toISOString().slice(0, 10);
          const [anio = '', mes = '', dia = ''] = iso.split('-');
          expect(readFecha(`${dia}/${mes}/${anio}`)).toBe(iso);
          expect(toDia(Number(anio), Number(mes), Number(dia))).toBe(iso);
        },
      ),
    );
  });
});

it.each([
  ['22 de septiembre de 2026 a las 12:52 horas', '2026-09-22'],
  ['1 de Enero del 2026', '2026-01-01'],
  ['3 de setiembre de 2026', '2026-09-03'],
  ['31 de febrero de 2026', null],
  ['3 de ventoso de 2026', null],
  ['el 3 de marzo de 2026', null],
])('readLongDate: %j is %j', (texto, dia) => {
  expect(readLongDate(texto)).toBe(dia);
});

it.each([
  ['ene', 1],
  ['SEPT', 9],
  ['sep.', 9],
  ['set', 9],
  ['diciembre', 12],
  ['ma', null],
  ['mayox', null],
  ['', null],
])('readMes: %j is %j', (texto, mes) => {
  expect(readMes(texto)).toBe(mes);
});
