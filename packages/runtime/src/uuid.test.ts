import { describe, expect, test } from 'vitest';
import { createUuidV7, uuidV7 } from './uuid.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timeOf = (uuid: string) => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

describe('UUID version 7', () => {
  test('has the version, the variant and the time of RFC 9562', () => {
    const ms = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const uuid = createUuidV7({ now: () => ms })();
    expect(uuid).toMatch(UUID_V7);
    expect(timeOf(uuid)).toBe(ms);
  });

  test('200,000 of them are all different and sort in the order in which they were made', { timeout: 120_000 }, () => {
    const made = Array.from({ length: 200_000 }, () => uuidV7());
    expect(new Set(made).size).toBe(made.length);
    expect([...made].sort().join() === made.join()).toBe(true);
    expect(made.every((uuid) => UUID_V7.test(uuid))).toBe(true);
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
    expect(timeOf(made.at(-1) ?? '')).toBeGreaterThan(1_000_000);
  });

  test('two generators at the same moment do not make the same value', () => {
    const one = createUuidV7({ now: () => 5 });
    const other = createUuidV7({ now: () => 5 });
    const made = Array.from({ length: 2_000 }, () => [one(), other()]).flat();
    expect(new Set(made).size).toBe(4_000);
  });
});
