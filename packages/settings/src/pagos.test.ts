import { expect, it } from 'vitest';
import { isClabe } from './pagos.ts';

it('knows a CLABE by its check digit', () => {
  expect(isClabe('646180157000000004')).toBe(true);
  for (let digit = 0; digit < 10; digit += 1) expect(isClabe(`64618015700000000${digit}`)).toBe(digit === 4);
  for (let at = 0; at < 17; at += 1) {
    const digits = [...'646180157000000004'];
    digits[at] = String((Number(digits[at]) + 1) % 10);
    expect(isClabe(digits.join('')), `digit ${at}`).toBe(false);
  }
  for (const text of ['', '64618015700000000', '6461801570000000040', '64618015700000000a', ' 646180157000000004'])
    expect(isClabe(text)).toBe(false);
});
