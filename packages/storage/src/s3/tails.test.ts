import { expect, test } from 'vitest';
import { TAIL_BYTES, Tails } from './tails.ts';

test('holds the end of an object, for its version alone', () => {
  const tails = new Tails();
  tails.set('a', 'v1', 100, Buffer.from('0123456789'));
  expect(tails.read('a', 'v1', { start: 102, end: 105 })?.toString()).toBe('234');
  expect(tails.read('a', 'v1', { start: 99, end: 105 })).toBeNull();
  expect(tails.read('a', 'v2', { start: 102, end: 105 })).toBeNull();
  expect(tails.read('b', 'v1', { start: 102, end: 105 })).toBeNull();
  tails.delete('a');
  expect(tails.read('a', 'v1', { start: 102, end: 105 })).toBeNull();
});

test('holds 8 MiB at most: the oldest make room, and one that is set again counts once', () => {
  const tails = new Tails();
  const held = (key: string) => tails.read(key, 'v', { start: 0, end: 1 }) !== null;
  for (let n = 0; n < 20; n += 1) tails.set('again', 'v', 0, Buffer.alloc(TAIL_BYTES));
  for (let n = 0; n < 8; n += 1) tails.set(`k${n}`, 'v', 0, Buffer.alloc(TAIL_BYTES));
  expect(held('again')).toBe(false);
  expect(Array.from({ length: 8 }, (_, n) => held(`k${n}`))).toEqual(Array(8).fill(true));
  tails.set('k8', 'v', 0, Buffer.alloc(1));
  expect([held('k0'), held('k1'), held('k8')]).toEqual([false, true, true]);
});
