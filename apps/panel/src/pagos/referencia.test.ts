import { expect, it } from 'vitest';
import { newReferencia } from './checkout.ts';

it('makes references that fit a bank statement and are not mistaken when read aloud', () => {
  const made = Array.from({ length: 2_000 }, newReferencia);
  expect(new Set(made).size).toBe(made.length);
  for (const each of made) expect(each).toMatch(/^AC[2-9A-HJKMNP-TV-Z]{10}$/);
});
