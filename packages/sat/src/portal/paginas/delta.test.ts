import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDelta, type RegistroDelta } from '../consultas/busqueda.ts';
import { delta } from '../testing/paginas-de-prueba.ts';

const nombre = fc.string({ unit: 'binary' }).map((s) => s.replaceAll('|', ''));
const registro = fc.tuple(nombre, nombre, fc.string({ unit: 'binary', maxLength: 200 }));
const registros = fc.array(registro, { minLength: 1, maxLength: 20 });

const toRegistro = ([tipo, id, contenido]: readonly [string, string, string]): RegistroDelta => ({
  tipo,
  id,
  contenido,
});

function parse(texto: string): readonly RegistroDelta[] | 'ilegible' {
  try {
    return parseDelta(texto);
  } catch (error) {
    if (error instanceof SatError && error.motivo === 'RESPUESTA_ILEGIBLE') return 'ilegible';
    throw error;
  }
}

describe('parseDelta', () => {
  it('reads back any records, bars, line ends and surrogate pairs included', () => {
    fc.assert(
      fc.property(registros, (lista) => {
        expect(parseDelta(delta(lista))).toEqual(lista.map(toRegistro));
      }),
    );
  });

  it('reads records of ASP.NET as they come', () => {
    const texto = '1|#||4|5|updatePanel|p|a|\r\nñ|0|hiddenField|__EVENTTARGET|||2|pageTitle||\u{1F600}|';
    expect(parse(texto)).toBe('ilegible');
    expect(parseDelta(texto.replace('|||2|', '||2|'))).toEqual([
      { tipo: '#', id: '', contenido: '4' },
      { tipo: 'updatePanel', id: 'p', contenido: 'a|\r\nñ' },
      { tipo: 'hiddenField', id: '__EVENTTARGET', contenido: '' },
      { tipo: 'pageTitle', id: '', contenido: '\u{1F600}' },
    ]);
  });

  it('takes a cut text for what it is, or for the records before the cut', () => {
    fc.assert(
      fc.property(registros, fc.nat(), (lista, at) => {
        const texto = delta(lista);
        const read = parse(texto.slice(0, at % texto.length));
        if (read === 'ilegible') return;
        expect(read.length).toBeLessThan(lista.length);
        expect(read).toEqual(lista.slice(0, read.length).map(toRegistro));
      }),
    );
  });

  it('refuses a text that was decoded as something else', () => {
    fc.assert(
      fc.property(registros, fc.string(), (lista, texto) => {
        const sent = delta([...lista, ['updatePanel', 'x', `Emisión ${texto}`]]);
        expect(parse(Buffer.from(sent).toString('latin1'))).toBe('ilegible');
      }),
    );
  });

  it('gives a typed error or records for any text', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('|', '||', '1|', '0|a|b||', '999999999|a|b|', '-1|', '1e3|'));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        parse(pieces.join(''));
      }),
    );
  });

  it.each([
    ['a very long text', 'x'.repeat(50 * 1024 * 1024)],
    ['only bars', '|'.repeat(20 * 1024 * 1024)],
    ['endless empty records', '0|a|b||'.repeat(200_000)],
    ['a length that is too large', '999999999|a|b|c|'],
    ['nothing', ''],
    ['blanks', ' \r\n'],
  ])('refuses %s', (_name, texto) => {
    expect(parse(texto)).toBe('ilegible');
  });
});
