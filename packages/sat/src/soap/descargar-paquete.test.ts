import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBase64Decoder, createLectorPaquete } from './descargar-paquete.ts';

/** An answer of the SAT up to the base64 of its package, and from there on. */
const before =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header>' +
  '<h:respuesta CodEstatus="5000" Mensaje="Ñandú &amp; &quot;más&quot;"' +
  ' xmlns:h="http://DescargaMasivaTerceros.sat.gob.mx" xmlns="http://DescargaMasivaTerceros.sat.gob.mx"/></s:Header>' +
  '<s:Body><RespuestaDescargaMasivaTercerosSalida xmlns="http://DescargaMasivaTerceros.sat.gob.mx"><Paquete>';
const after = '</Paquete></RespuestaDescargaMasivaTercerosSalida></s:Body></s:Envelope>';
const headless = before.replace(/<s:Header>.*<\/s:Header>/, '');

/** Feeds a document in the given pieces and gives what came out, or throws as the reader does. */
function read(document: Buffer, cuts: readonly number[], maxBytes = 1 << 20) {
  const lector = createLectorPaquete(maxBytes);
  const out: Buffer[] = [];
  const places = [...new Set(cuts.map((cut) => cut % document.length))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, document.length]) {
    out.push(...lector.write(document.subarray(from, to)));
    from = to;
  }
  lector.end();
  return { bytes: Buffer.concat(out), respuesta: lector.respuesta() };
}

describe('the reader of a package', () => {
  it('gives the same bytes wherever the network cuts the answer, white space or not', () => {
    const document = fc.tuple(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.constantFrom('', '\n', '\r\n  ', '\t'),
      fc.integer({ min: 1, max: 76 }),
      fc.array(fc.nat(), { maxLength: 30 }),
    );
    fc.assert(
      fc.property(document, ([content, separator, width, cuts]) => {
        const base64 = Buffer.from(content).toString('base64');
        const lines = base64.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
        const text = Buffer.from(before + lines.join(separator) + separator + after);
        const { bytes, respuesta } = read(text, cuts);
        expect(bytes).toEqual(Buffer.from(content));
        expect(respuesta).toEqual({ codigo: '5000', mensaje: 'Ñandú & "más"' });
      }),
      { numRuns: 500 },
    );
  });

  it('takes byte by byte what it takes whole', () => {
    const text = Buffer.from(`\ufeff<?xml version="1.0" encoding="utf-8"?>${before}AQIDBA==${after}\n`);
    const { bytes } = read(text, [...text.keys()]);
    expect(bytes).toEqual(Buffer.from([1, 2, 3, 4]));
  });

  it('is none when it is cut, wherever it is', () => {
    for (const code of ['5000', '5008']) {
      const whole = Buffer.from(before.replace('5000', code) + (code === '5000' ? 'AQIDBA==' : '') + after);
      expect(read(whole, []).respuesta).toMatchObject({ codigo: code });
      for (let length = 0; length < whole.length; length += 1) {
        expect(() => read(whole.subarray(0, length), []), `cut at ${length}`).toThrow(/^RESPUESTA_ILEGIBLE/);
      }
    }
  });

  it('finds the code behind other headers', () => {
    const { bytes } = read(Buffer.from(`${before.replace('<h:res', '<x a=">"><y/></x><h:res')}AQID${after}`), []);
    expect(bytes).toEqual(Buffer.from([1, 2, 3]));
  });

  it('says the code of a refusal once the answer is whole, whatever its order', () => {
    const empty = before.replace('<Paquete>', '<Paquete/>').replace('5000', '5007') + after.replace('</Paquete>', '');
    expect(read(Buffer.from(empty), []).respuesta).toMatchObject({ codigo: '5007' });
  });

  it.each([
    ['a package before its code', `${headless}AQID${after}`],
    ['no code at all', headless + after],
    ['a code twice', `${before.replace('</s:Header>', '<respuesta CodEstatus="5000"/></s:Header>')}AQID${after}`],
    ['a code that is no number', `${before.replace('5000', 'ok')}AQID${after}`],
    ['an empty package that is said to be fine', before + after],
    ['a package beside a code of error', `${before.replace('5000', '5008')}AQID${after}`],
    ['two packages', `${before}AQID</Paquete><Paquete>AQID${after}`],
    ['a comment in the package', `${before}AQID<!-- x -->AQID${after}`],
    ['CDATA in the package', `${before}AQID<![CDATA[AQID]]>${after}`],
    ['an element in the package', `${before}AQID<a/>AQID${after}`],
    ['an instruction in the package', `${before}AQID<?x y?>AQID${after}`],
    ['an entity in the package', `${before}AQ&#x49;D${after}`],
    ['base64 that is cut', `${before}AQIDAQI${after}`],
    ['base64 of another alphabet', `${before}AQ_-${after}`],
    ['base64 with a wide character, whose low byte is one of the alphabet', `${before}\u0141AQI${after}`],
    ['base64 that goes on behind its end', `${before}AQ==AQID${after}`],
    ['base64 with loose bits', `${before}AR==${after}`],
    ['base64 that is all padding', `${before}====${after}`],
    ['a document type', `<!DOCTYPE x [<!ENTITY a "b">]>${before}AQID${after}`],
    [
      'more structure than an answer has',
      `${before}AQID${after.replace('</s:Body>', `${'<a/>'.repeat(80_000)}</s:Body>`)}`,
    ],
    ['more depth than an answer has', before.replace('<s:Header>', `<s:Header>${'<a>'.repeat(64)}`)],
  ])('refuses %s', (_name, text) => {
    expect(() => read(Buffer.from(text), [])).toThrow(/^RESPUESTA_ILEGIBLE/);
    expect(() => read(Buffer.from(text), [...Buffer.from(text).keys()])).toThrow(/^RESPUESTA_ILEGIBLE/);
  });

  it('stops at the size limit', () => {
    const text = Buffer.from(before + Buffer.alloc(1000).toString('base64') + after);
    expect(read(text, [], 1000).bytes).toHaveLength(1000);
    expect(() => read(text, [], 999)).toThrow('RESPUESTA_ILEGIBLE: más de 999 bytes');
  });
});

describe('strict base64', () => {
  it('refuses every text that is not canonical base64', () => {
    const text = fc.string({ unit: fc.constantFrom(...'AQRZaz09+/=-_ é'), maxLength: 9 });
    fc.assert(
      fc.property(text, (sample) => {
        const compact = sample.replaceAll(' ', '');
        const canonical = Buffer.from(compact, 'base64').toString('base64') === compact;
        const decode = () => {
          const decoder = createBase64Decoder();
          const bytes = decoder.write(Buffer.from(sample));
          decoder.end();
          return bytes;
        };
        if (canonical) expect(decode()).toEqual(Buffer.from(compact, 'base64'));
        else expect(decode).toThrow(/^RESPUESTA_ILEGIBLE/);
      }),
      { numRuns: 2000 },
    );
  });
});
