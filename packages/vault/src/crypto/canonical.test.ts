import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CanonicalField, canonicalBytes } from './canonical.ts';

const field = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.date({ noInvalidDate: true }),
  fc.constant(null),
  fc.uint8Array({ maxLength: 12 }),
);

function identity(value: CanonicalField): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `text ${JSON.stringify(value)}`;
  if (value instanceof Date) return `instant ${value.getTime()}`;
  return `bytes ${Buffer.from(value).toString('hex')}`;
}

describe('canonicalBytes', () => {
  it('gives equal bytes exactly for equal lists', () => {
    const list = fc.array(field, { maxLength: 4 });
    fc.assert(
      fc.property(list, list, (left, right) => {
        const same = JSON.stringify(left.map(identity)) === JSON.stringify(right.map(identity));
        expect(canonicalBytes(...left).equals(canonicalBytes(...right))).toBe(same);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each<[readonly CanonicalField[], readonly CanonicalField[]]>([
    [
      ['ab', 'c'],
      ['a', 'bc'],
    ],
    [['a', ''], ['a']],
    // What 'a' and 'b' would run together to if the lengths were not written.
    [['a', 'b'], ['a\u0001\0\0\0\0b']],
    [[null], ['']],
    [['a|b'], ['a', 'b']],
    [['A'], ['a']],
    [['Ñ'], ['N\u0303']],
    [['abc'], [Buffer.from('abc')]],
    [[new Date(0)], [Buffer.alloc(8)]],
  ])('keeps %j apart from %j', (left, right) => {
    expect(canonicalBytes(...left).equals(canonicalBytes(...right))).toBe(false);
  });

  it('refuses what has no bytes of its own', () => {
    expect(() => canonicalBytes('\ud800')).toThrow(TypeError);
    expect(() => canonicalBytes(new Date(Number.NaN))).toThrow(TypeError);
  });
});
