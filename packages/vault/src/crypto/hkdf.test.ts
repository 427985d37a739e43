import { hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hkdf, hkdfExpand, hkdfExtract } from './hkdf.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const count = (from: number, to: number) =>
  Buffer.from(Array.from({ length: to - from + 1 }, (_, index) => from + index));

// RFC 5869, appendix A.1 to A.3.
const VECTORS = [
  {
    name: 'A.1',
    ikm: Buffer.alloc(22, 0x0b),
    salt: count(0x00, 0x0c),
    info: count(0xf0, 0xf9),
    prk: '077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5',
    okm: '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  },
  {
    name: 'A.2',
    ikm: count(0x00, 0x4f),
    salt: count(0x60, 0xaf),
    info: count(0xb0, 0xff),
    prk: '06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244',
    okm:
      'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c' +
      '59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71' +
      'cc30c58179ec3e87c14c01d5c1f3434f1d87',
  },
  {
    name: 'A.3',
    ikm: Buffer.alloc(22, 0x0b),
    salt: Buffer.alloc(0),
    info: Buffer.alloc(0),
    prk: '19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04',
    okm: '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  },
];

describe('HKDF-SHA-256', () => {
  it.each(VECTORS)('gives the answer of RFC 5869 $name', ({ ikm, salt, info, prk, okm }) => {
    expect(hkdfExtract(salt, ikm).toString('hex')).toBe(prk);
    expect(hkdfExpand(hex(prk), info, okm.length / 2).toString('hex')).toBe(okm);
    expect(hkdf(ikm, salt, info, okm.length / 2).toString('hex')).toBe(okm);
  });

  it.each([1, 31, 32, 33, 64, 255 * 32])('agrees with OpenSSL for %i bytes', (length) => {
    const [ikm, salt, info] = [randomBytes(40), randomBytes(32), randomBytes(100)];
    const expected = Buffer.from(hkdfSync('sha256', ikm, salt, info, length));
    expect(hkdf(ikm, salt, info, length).equals(expected)).toBe(true);
  });

  it('refuses lengths that RFC 5869 does not define', () => {
    expect(() => hkdfExpand(Buffer.alloc(32), Buffer.alloc(0), 255 * 32 + 1)).toThrow(RangeError);
    expect(() => hkdfExpand(Buffer.alloc(32), Buffer.alloc(0), 0)).toThrow(RangeError);
  });
});
