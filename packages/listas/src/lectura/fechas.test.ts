import { describe, expect, it } from 'vitest';
import { readDateCell, readFechaCorte } from './columnas.ts';

describe('dates of the list', () => {
  it.each([
    ['Información actualizada al 31 de julio de 2026; los listados', '2026-07-31'],
    ['INFORMACIÓN ACTUALIZADA AL 5 DE JUNIO DE 2026', '2026-06-05'],
    ['al 01 de setiembre del 2025', '2025-09-01'],
    ['al 1º de enero de 2026', '2026-01-01'],
    ['al 30 de febrero de 2026', null],
    ['al 31/07/2026', null],
    ['al 1 de enero de 1999', null],
    ['', null],
  ])('reads the cut in %j as %s', (text, day) => expect(readFechaCorte(text)).toBe(day));

  it.each([
    ['03/01/2019', '2019-01-03'],
    [' 3/1/2019 ', '2019-01-03'],
    ['03-01-2019', '2019-01-03'],
    ['25/05/2022 - 26/04/2021', '2022-05-25'],
    ['17/10/2019 27/08/2018', '2019-10-17'],
    ['24/04/2023 -15/10/2020', '2023-04-24'],
    ['01-12-2023- 23/05/2023', '2023-12-01'],
    ['44014', '2020-07-02'],
  ])('reads the cell %j as %s', (cell, dia) => expect(readDateCell(cell)).toEqual({ tipo: 'dia', dia }));

  it('tells an empty cell from one that it cannot read', () => {
    expect(readDateCell('  ')).toEqual({ tipo: 'vacia' });
    for (const cell of [
      '31/02/2020',
      '03/01/19',
      '2019-01-03',
      '01/02-2020',
      'pendiente',
      '99999',
      '03/01/2019x',
      '01/01/20191',
    ])
      expect([cell, readDateCell(cell)]).toEqual([cell, { tipo: 'ilegible' }]);
  });
});
