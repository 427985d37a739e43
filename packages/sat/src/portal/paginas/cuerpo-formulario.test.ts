import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeForm } from './formulario.ts';

describe('encodeForm', () => {
  it('is read back by any form parser, whether a value comes as text or as bytes', () => {
    const texto = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(fc.tuple(texto, texto, fc.boolean())), (campos) => {
        const body = encodeForm(campos.map(([n, v, bytes]) => [n, bytes ? Buffer.from(v) : v] as const));
        expect([...new URLSearchParams(body.toString('latin1'))]).toEqual(campos.map(([n, v]) => [n, v]));
      }),
    );
  });
});
