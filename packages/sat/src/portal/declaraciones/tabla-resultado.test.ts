import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTags } from '../paginas/etiquetas.ts';
import { RESULTADO } from './listar-declaraciones.ts';
import { readTablaResultado } from './tabla-resultado.ts';
import { type FilaDePrueba, tablaResultado } from './testing/declaraciones-de-prueba.ts';

const MENSUAL: FilaDePrueba = {
  numeroOperacion: '251070077482',
  tipo: 'Normal',
  tipoComplementaria: '',
  lineaCaptura: '0425 0ABC 1234 5678 9012',
  fecha: '17/03/2025',
  periodicidad: 'Mensual',
  periodo: 'Febrero',
  causacion: '28/02/2025',
  estado: 'Recibida',
};
const COMPLEMENTARIA: FilaDePrueba = {
  ...MENSUAL,
  numeroOperacion: '251070099999',
  tipo: 'Complementaria',
  tipoComplementaria: 'Modificación de obligaciones',
  fecha: '02/04/2025',
  estado: 'Pagada <script>alert("x")</script>& en línea',
};
const read = (html: string) => readTablaResultado(readTags(html), 2025, RESULTADO);

describe('readTablaResultado', () => {
  it('reads every cell, also of a row with a cell more than there are headings', () => {
    const html = tablaResultado([COMPLEMENTARIA, { ...MENSUAL, lineaCaptura: '', periodicidad: '5-Del ejercicio' }]);
    expect(read(html.replaceAll('</td></tr>', '</td><td>algo</td></tr>'))).toEqual([
      {
        numeroOperacion: '251070099999',
        tipo: 'Complementaria',
        tipoComplementaria: 'Modificación de obligaciones',
        lineaCaptura: '0425 0ABC 1234 5678 9012',
        periodicidad: 'Mensual',
        periodo: 'Febrero',
        ejercicio: 2025,
        fecha: '2025-04-02',
        complementaria: true,
        estado: 'Pagada & en línea',
      },
      expect.objectContaining({ complementaria: false, lineaCaptura: null, periodicidad: 'Del ejercicio' }),
    ]);
  });

  const good = tablaResultado([MENSUAL]);
  const con = (cambio: Partial<FilaDePrueba>) => tablaResultado([{ ...MENSUAL, ...cambio }]);
  it.each([
    ['nothing', ''],
    ['a page', '<html></html>'],
    ['a table without rows or words', tablaResultado([])],
    ['an error', '<p>Error interno</p>'],
    ['a day that does not exist', con({ fecha: '31/02/2025' })],
    ['a number that is none', con({ numeroOperacion: 'x' })],
    ['a return of no kind', con({ tipo: '' })],
    ['lost letters', con({ tipoComplementaria: 'Modificaci\uFFFDn' })],
    ['a cell too few', good.replace('<td>Normal</td>', '')],
    ['no column of dates', good.replace('Fecha de Presentaci', 'Fecha de otra ')],
    ['a column twice', good.replace('Per&iacute;odo', 'Periodicidad')],
    ['two tables', `${good}${good}`],
    ['entities', `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(99)}"><!ENTITY b "&a;&a;">]><x>&b;</x>`],
  ])('refuses %s', (_name, html) => {
    expect(() => read(html)).toThrow('RESPUESTA_ILEGIBLE');
  });

  it('gives the same rows whatever the order of the columns, and an error wherever the answer is cut', () => {
    const esperadas = read(tablaResultado([MENSUAL, COMPLEMENTARIA]));
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { minLength: 10, maxLength: 10 }), (orden) => {
        expect(read(tablaResultado([MENSUAL, COMPLEMENTARIA], orden))).toEqual(esperadas);
      }),
    );
    const html = tablaResultado([MENSUAL, COMPLEMENTARIA]);
    for (let corte = 0; corte < html.lastIndexOf('</table>'); corte += 1) {
      expect(() => read(html.slice(0, corte)), String(corte)).toThrow('RESPUESTA_ILEGIBLE');
    }
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat({ max: html.length }), (basura, donde) => {
        try {
          for (const { numeroOperacion } of read(html.slice(0, donde) + basura + html.slice(donde))) {
            expect(numeroOperacion).toMatch(/^\d{5,30}$/);
          }
        } catch (error) {
          expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
        }
      }),
    );
  });
});
