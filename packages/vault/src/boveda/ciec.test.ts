import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reparoCiec } from './ciec.ts';

const reparo = (text: string, min = 16, max = 16) => reparoCiec(Buffer.from(text), { min, max });

describe('a CIEC', () => {
  it('has as many characters as the settings say, of one byte or of more', () => {
    expect(reparo('Ciec-de-16-letra')).toBeNull();
    expect(reparo('ñandú ÁÉÍ € 𝄞 16')).toBeNull();
    expect(reparo('corta')).toBe('debe tener 16 caracteres');
    expect(reparo('corta', 8, 16)).toBe('debe tener de 8 a 16 caracteres');
  });

  it.each([
    ...['\u0000', '\t', '\n', '\r', '\u001b', '\u001f', '\u007f', '\u0085', '\u009f', '\u00ad'],
    ...['\u200b', '\u200f', '\u2028', '\u202e', '\u2060', '\ufeff', '\ufffb'],
  ])('is refused with a control character, wherever it stands (%j)', (character) => {
    for (const text of [`${character}23456789012345x`, `1234567${character}9012345x`, `123456789012345${character}`])
      expect(reparo(text)).toMatch(/^solo puede tener caracteres imprimibles/);
    expect(reparo(character.repeat(16))).toMatch(/imprimibles/);
  });

  it('is looked at character by character as a string would be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 24 }), (text) => {
        const isPrintable = !/[\p{Cc}\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb]/u.test(text);
        const isLength = [...text].length >= 4 && [...text].length <= 16;
        expect(reparo(text, 4, 16) === null).toBe(isPrintable && isLength);
      }),
    );
  });
});
