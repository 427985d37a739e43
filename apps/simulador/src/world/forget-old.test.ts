import { expect, test } from 'vitest';
import { forgetOld } from './forget-old.ts';

test('goes up to the first entry that is not old', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 9],
    ['d', 1],
  ]);
  forgetOld(map, (value) => value < 5);
  expect([...map.keys()]).toEqual(['c', 'd']);
});
