import { randomInt } from 'node:crypto';

const given = process.env['FAULTS_SEED'];

/** Whether this run repeats one that failed. */
export const isRepeated = given !== undefined;

/** Of all that is random in this run: a run that fails prints it, and `FAULTS_SEED` sets it. */
export const seed = isRepeated ? Number(given) : randomInt(2 ** 31);

/** Numbers that follow from a seed alone (mulberry32, in the public domain): the same seed, the same faults. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    /** From 0 to n - 1. */
    below: (n: number) => Math.floor(next() * n),
    bytes: (length: number) => Buffer.from(Array.from({ length }, () => Math.floor(next() * 256))),
    pick<T>(values: readonly T[]): T {
      const value = values[Math.floor(next() * values.length)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
    /** The same values in another order. */
    shuffle: <T>(values: readonly T[]): T[] =>
      values
        .map((value) => ({ value, at: next() }))
        .sort((one, other) => one.at - other.at)
        .map(({ value }) => value),
  };
}

export type Random = ReturnType<typeof createRandom>;
