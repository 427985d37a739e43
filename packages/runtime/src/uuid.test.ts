import { describe, expect, test } from 'vitest';
import { createUuidV7, isUuidV7, uuidV7, uuidV7Time } from './uuid.ts';

describe('UUID version 7', () => {
  test('has the version, the variant and the time of RFC 9562', () => {
    const ms = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const uuid = createUuidV7({ now: () => ms })();
    expect(isUuidV7(uuid)).toBe(true);
    expect(uuidV7Time(uuid)).toBe(ms);
  });

  test('200,000 of them are all different and sort in the order in which they were made', {
    timeout: 120_000,
  }, () => {
    const made = Array.from({ length: 200_000 }, () => uuidV7());
    expect(new Set(made).size).toBe(made.length);
    expect([...made].sort().join() === made.join()).toBe(true);
    expect(made.every(isUuidV7)).toBe(true);
  });

  test('keeps the order when a millisecond runs out of counter and when the clock goes back', () => {
    let ms = 1_000_000;
    const next = createUuidV7({ now: () => ms, random: (size) => new Uint8Array(size).fill(0xff) });
    const made = Array.from({ length: 5_000 }, (_, index) => {
      if (index === 3_000) ms -= 500;
      return next();
    });
    expect(new Set(made).size).toBe(made.length);
    expect(made).toEqual([...made].sort());
    expect(uuidV7Time(made.at(-1) ?? '')).toBeGreaterThan(1_000_000);
  });

  test('two generators at the same moment do not make the same value', () => {
    const one = createUuidV7({ now: () => 5 });
    const other = createUuidV7({ now: () => 5 });
    const made = Array.from({ length: 2_000 }, () => [one(), other()]).flat();
    expect(new Set(made).size).toBe(4_000);
  });

  test('refuses to read the time of anything else', () => {
    expect(() => uuidV7Time('f81d4fae-7dec-41d0-a765-00a0c91e6bf6')).toThrow(RangeError);
    expect(isUuidV7(uuidV7().toUpperCase())).toBe(false);
  });
});
