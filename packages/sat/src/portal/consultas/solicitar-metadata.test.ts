import { expect, it } from 'vitest';
import { panelResultados, delta as write } from '../testing/paginas-de-prueba.ts';
import { parseDelta } from './busqueda.ts';
import { readParametros } from './solicitar-metadata.ts';

const UUID = '6F9619FF-8B86-D011-B42D-00CF4FC964FF';

const read = (uuids: string[], muestraFilas: boolean, diceQueNoHay: boolean, parametros = 'p &"') =>
  readParametros(
    parseDelta(
      write([
        [
          'updatePanel',
          'ctl00_MainContent_UpnlResultados',
          panelResultados({ uuids, muestraFilas, diceQueNoHay, parametros }),
        ],
      ]),
    ),
  );

it('reads the criteria of a search that found rows, and that one found none', () => {
  expect(read([UUID], true, false)).toBe('p &"');
  expect(read([], false, true)).toBeNull();
});

it.each([
  ['both panels hidden', () => read([], false, false)],
  ['both panels shown', () => read([UUID], true, true)],
  ['the empty panel with rows', () => read([UUID], false, true)],
  ['the results panel without rows', () => read([], true, false)],
  ['rows without criteria', () => read([UUID], true, false, '')],
  ['no results panel', () => readParametros(parseDelta(write([['hiddenField', '__VIEWSTATE', 'x']])))],
])('is never "no rows" for %s', (_name, reading) => {
  expect(reading).toThrow('RESPUESTA_ILEGIBLE');
});
