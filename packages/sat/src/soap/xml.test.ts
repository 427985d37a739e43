import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLectorPaquete } from './descargar-paquete.ts';
import { type Elemento, MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTOS, MAX_TEXTO, parseXml } from './xml.ts';

function detail(read: () => unknown): string {
  try {
    read();
    return 'read';
  } catch (error) {
    if (!(error instanceof SatError) || error.motivo !== 'RESPUESTA_ILEGIBLE') throw error;
    return error.message.replace('RESPUESTA_ILEGIBLE: ', '');
  }
}
const detailOf = (xml: string) => detail(() => parseXml(xml));
const attributes = (count: number) => Array.from({ length: count }, (_, n) => ` a${n}="x"`).join('');

it('an answer in XML that is cut is none, wherever it is', () => {
  const folio = '4e80345d-917f-40bb-a98f-4a73939343c5';
  const whole = Buffer.from(
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><VerificaResponse xmlns="urn:x">' +
      `<VerificaResult CodEstatus="5000" Mensaje="sí"><Ids>${folio}_01</Ids><Ids/></VerificaResult>` +
      '</VerificaResponse></s:Body></s:Envelope>',
  );
  expect(detailOf(whole.toString())).toBe('read');
  for (let length = 0; length < whole.length; length += 1) {
    expect(detailOf(whole.toString('utf8', 0, length)), `cut at ${length}`).not.toBe('read');
  }
});

describe('the bounds of an answer in XML', () => {
  it.each([
    ['elements', (n: number) => `<a>${'<b/>'.repeat(n - 1)}</a>`, MAX_ELEMENTOS, 'demasiados elementos'],
    ['depth', (n: number) => '<a>'.repeat(n) + '</a>'.repeat(n), MAX_DEPTH, 'demasiada profundidad'],
    ['attributes', (n: number) => `<a${attributes(n)}/>`, MAX_ATTRIBUTES, 'demasiados atributos'],
    [
      'namespaces',
      (n: number) => `<a${attributes(n).replaceAll(' a', ' xmlns:a')}/>`,
      MAX_ATTRIBUTES,
      'demasiados atributos',
    ],
    ['a value', (n: number) => `<a b="${'x'.repeat(n)}"/>`, MAX_TEXTO, 'atributo demasiado largo'],
    ['a text', (n: number) => `<a>${'x'.repeat(n)}</a>`, MAX_TEXTO, 'texto demasiado largo'],
    [
      'a text in pieces',
      (n: number) => `<a>${'x<b/>'.repeat(n / 2 ** 4)}${'x'.repeat(n - n / 2 ** 4)}</a>`,
      MAX_TEXTO,
      'texto demasiado largo',
    ],
    ['a CDATA section', (n: number) => `<a><![CDATA[${'<'.repeat(n)}]]></a>`, MAX_TEXTO, 'texto demasiado largo'],
  ])('hold for %s, to the very last one', (_name, document, most, motivo) => {
    expect(detailOf(document(most))).toBe('read');
    expect(detailOf(document(most + (motivo === 'texto demasiado largo' ? 16 : 1)))).toBe(motivo);
  });

  it('hold in a package too', () => {
    const open = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">';
    const read = (xml: string) => detail(() => createLectorPaquete(1 << 20).write(Buffer.from(open + xml)));
    expect(read('<b/>'.repeat(MAX_ELEMENTOS))).toBe('demasiados elementos');
    expect(read(`<b${attributes(MAX_ATTRIBUTES + 1)}/>`)).toBe('demasiados atributos');
  });

  it('are the only trees that are read, whatever is written', () => {
    const nombre = fc.constantFrom('a', 'b', 'constructor', '__proto__');
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc
        .tuple(
          nombre,
          fc.nat(MAX_ATTRIBUTES * 2),
          fc.array(fc.oneof(fc.constantFrom('x', '&amp;', '<!-- -->'), tie('tree')), { maxLength: 5 }),
        )
        .map(([name, count, children]) => `<${name}${attributes(count)}>${children.join('')}</${name}>`),
    }));
    const sizeOf = ({ children }: Elemento): { elementos: number; depth: number } => {
      const sizes = children.map(sizeOf);
      return {
        elementos: 1 + sizes.reduce((sum, each) => sum + each.elementos, 0),
        depth: 1 + Math.max(0, ...sizes.map((each) => each.depth)),
      };
    };
    fc.assert(
      fc.property(tree, (xml) => {
        const tooMany = (xml.match(/<\w+[^>]*>/g) ?? []).some((tag) => (tag.match(/=/g) ?? []).length > MAX_ATTRIBUTES);
        const found = detailOf(xml);
        if (found !== 'read') {
          expect(tooMany || found === 'demasiada profundidad').toBe(true);
          return;
        }
        const { elementos, depth } = sizeOf(parseXml(xml));
        expect([tooMany, depth <= MAX_DEPTH]).toEqual([false, true]);
        expect(elementos).toBe((xml.match(/<\/\w+>/g) ?? []).length);
      }),
      { numRuns: 200 },
    );
  });

  it('are met before a hostile document is kept whole', () => {
    for (const hostile of [
      `<a>${'<b/>'.repeat(1 << 20)}`,
      `<a${attributes(1 << 17)}`,
      `<a>${'<b c="d">'.repeat(1 << 18)}`,
    ])
      expect(detailOf(hostile)).toMatch(/^demasiad/);
  });
});
