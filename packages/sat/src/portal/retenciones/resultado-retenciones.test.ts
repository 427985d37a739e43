import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTags } from '../paginas/etiquetas.ts';
import { readResultadoRetenciones } from './resultado-retenciones.ts';
import {
  celdasDe,
  ENCABEZADOS,
  paginaCon,
  RFC_PROPIO,
  resultadoDe,
  retencion,
  tabla,
} from './testing/paginas-retenciones.ts';

const DOS = [
  retencion(1, '2025-03-05T10:00:00'),
  retencion(2, '2025-03-05T10:00:01', 'receptor', { estado: 'Cancelado' }),
];

const read = (html: string, side: 'RECIBIDA' | 'EMITIDA' = 'RECIBIDA') =>
  readResultadoRetenciones(readTags(html), side, RFC_PROPIO);

function outcomeOf(html: string, side?: 'RECIBIDA' | 'EMITIDA'): unknown {
  try {
    return read(html, side);
  } catch (error) {
    return error;
  }
}

const isIlegible = (outcome: unknown) => outcome instanceof SatError && outcome.motivo === 'RESPUESTA_ILEGIBLE';

describe('readResultadoRetenciones', () => {
  it.each([
    ['rows', paginaCon(resultadoDe('receptor', DOS.slice(0, 1)))],
    ['no rows', paginaCon(resultadoDe('receptor', []))],
  ])('is an error for a page of %s that is cut anywhere before its end', (_name, html) => {
    for (let length = 0; length < html.length; length += 1) {
      expect(isIlegible(outcomeOf(html.slice(0, length)))).toBe(true);
    }
  });

  it('finds the columns by their headings in any order, beside unknown ones', () => {
    const whole = read(paginaCon(resultadoDe('receptor', DOS)));
    expect(whole.filas).toHaveLength(2);
    const encabezados = [...ENCABEZADOS, 'Monto Total Retenido', 'Tipo de Retención'];
    fc.assert(
      fc.property(fc.shuffledSubarray([...encabezados.keys()], { minLength: encabezados.length }), (orden) => {
        const pick = (celdas: readonly string[]) => orden.map((i) => celdas[i] ?? '');
        const filas = DOS.map((r) => pick([...celdasDe(r), '$1.00', '25']));
        expect(read(paginaCon(tabla(filas, pick(encabezados))))).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['Folio Fiscal', 'UUID'],
    ['RFC Emisor', 'RFC del Emisor'],
    ['RFC Receptor', 'RFC del Receptor'],
    ['Fecha de Emisión', 'Fecha de Expedición'],
    ['Monto Total de la Operación', 'Total'],
    ['Estado del Comprobante', 'Estado CFDI Retención'],
  ])('knows %s as %s too', (heading, otro) => {
    const filas = DOS.map(celdasDe);
    const encabezados = ENCABEZADOS.map((uno) => (uno === heading ? otro : uno));
    expect(read(paginaCon(tabla(filas, encabezados)))).toEqual(read(paginaCon(tabla(filas))));
  });

  it.each(['Folio Fiscal', 'RFC Emisor', 'Fecha de Emisión', 'Monto Total de la Operación', 'Estado del Comprobante'])(
    'cannot do without the column %s of a received one',
    (falta) => {
      const kept = ENCABEZADOS.map((heading) => heading !== falta);
      const filas = DOS.map((r) => celdasDe(r).filter((_, i) => kept[i]));
      const encabezados = ENCABEZADOS.filter((_, i) => kept[i]);
      expect(isIlegible(outcomeOf(paginaCon(tabla(filas, encabezados))))).toBe(true);
    },
  );

  it('knows the taxpayer where the page leaves its own column out, and a receiver without RFC', () => {
    const emitida = retencion(7, '2025-03-05T10:00:00', 'emisor', { contraparte: '' });
    const propia = ENCABEZADOS.indexOf('RFC Emisor');
    const sin = <T>(celdas: readonly T[]) => celdas.filter((_, i) => i !== propia);
    const html = paginaCon(tabla([sin(celdasDe(emitida))], sin(ENCABEZADOS)));
    expect(read(html, 'EMITIDA').filas).toEqual([
      expect.objectContaining({ tipo: 'EMITIDA', emisorRfc: RFC_PROPIO, receptorRfc: null }),
    ]);
  });

  it.each([
    ['an empty table alone', tabla([])],
    [
      'an empty table and a hidden note',
      `${tabla([])}<div id="divNoResultadosReceptor" class="row hidden">No existen</div>`,
    ],
    ['a note without words', '<div id="divNoResultadosReceptor"></div>'],
    ['rows and the note', `${tabla(DOS.map(celdasDe))}<div id="divNoResultadosReceptor">No existen</div>`],
    ['nothing at all', ''],
  ])('does not believe %s', (_name, resultado) => {
    expect(isIlegible(outcomeOf(paginaCon(resultado)))).toBe(true);
  });

  it.each([
    ['latin1', (html: string) => Buffer.from(html).toString('latin1')],
    ['lost letters', (html: string) => Buffer.from(html, 'latin1').toString()],
  ])('does not read a page in the wrong encoding (%s)', (_name, recode) => {
    expect(isIlegible(outcomeOf(recode(paginaCon(resultadoDe('receptor', DOS)))))).toBe(true);
  });

  it('is capped by 500 rows or by what the page says', () => {
    const filas = (cuantas: number) => Array.from({ length: cuantas }, (_, i) => retencion(i, '2025-03-05T10:00:00'));
    expect(read(paginaCon(resultadoDe('receptor', filas(499)))).topada).toBe(false);
    expect(read(paginaCon(resultadoDe('receptor', filas(500)))).topada).toBe(true);
    expect(read(paginaCon(resultadoDe('receptor', filas(3), true))).topada).toBe(true);
  });
});
