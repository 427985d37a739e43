import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { decodeBase64 } from './base64.ts';

describe('decodeBase64', () => {
  it('decodes what an encoder wrote', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(decodeBase64(Buffer.from(text))?.equals(bytes)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('takes exactly the texts that encode to themselves', () => {
    const unit = fc.constantFrom(...'ABCDwxyz0189+/=-_ \n\u00e9');
    let decoded = 0;
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const canonical = Buffer.from(text, 'base64').toString('base64') === text;
        expect(decodeBase64(Buffer.from(text)) !== null).toBe(canonical);
        decoded += canonical ? 1 : 0;
      }),
      { numRuns: inject('isDeep') ? 100_000 : 20_000 },
    );
    expect(decoded).toBeGreaterThan(100);
  });

  it.each(['A', 'AA', 'AAA', 'AB==', 'AAB=', '====', 'A===', 'AA=A', 'AAAA\n', ' AAAA', 'AA-_', 'AAAA====', 'é==='])(
    'refuses %j',
    (text) => {
      expect(decodeBase64(Buffer.from(text))).toBeNull();
    },
  );
});
