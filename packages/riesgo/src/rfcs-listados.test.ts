import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RfcsPorHuella } from './rfcs-listados.ts';

function setOf(rfcs: readonly string[], room = rfcs.length): RfcsPorHuella {
  const set = new RfcsPorHuella(room);
  for (const rfc of rfcs) set.add(rfc);
  return set;
}

const has = (set: RfcsPorHuella, rfc: string) => {
  const before = Buffer.from('Ñ,"');
  const bytes = Buffer.concat([before, Buffer.from(rfc), Buffer.from(',,')]);
  return set.has(bytes, before.length, before.length + Buffer.byteLength(rfc));
};

/** RFCs of companies and of people that differ in their ends only, as those of one family and day do. */
const rfcOf = (n: number) =>
  `${n % 2 === 0 ? 'ÑU&' : 'XAXX'}850101${n.toString(36).toUpperCase().padStart(5, '0').slice(-5)}`;

test('whatever is in it is found, whatever its bytes are and wherever they stand', () => {
  const odd = ['', 'Ñ', '&', '\0', 'ÑUÑ030303AB3', 'P&O040404AB4', '"', '🧾'.repeat(500), 'xaxx010101000'];
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom(...odd))), (rfcs) => {
      const set = setOf(rfcs);
      for (const rfc of rfcs) expect(has(set, rfc)).toBe(true);
    }),
  );
});

test('a hundred thousand take the bytes of the formula, with few false positives', () => {
  const count = 100_000;
  const set = setOf(Array.from({ length: count }, (_, n) => rfcOf(n)));
  expect(set.bytes).toBe(4 * 2 ** 18);
  expect(set.bytes / count).toBeLessThanOrEqual(16);
  const found = Array.from({ length: count }, (_, n) => rfcOf(n + count)).filter((rfc) => has(set, rfc));
  // Of 100,000 about 2 share the fingerprint of one.
  expect(found.length).toBeLessThan(20);
});

test('one that is there twice takes one place, and one too many is refused instead of filling it up', () => {
  const set = setOf(['PRO010101AB1', 'PRO010101AB1', 'PRO020202AB2'], 2);
  expect(set.size).toBe(2);
  expect(() => set.add('PRO030303AB3')).toThrow(RangeError);
  expect(has(set, 'PRO030303AB3')).toBe(false);
  expect(has(setOf([]), 'PRO010101AB1')).toBe(false);
});
