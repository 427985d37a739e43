import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { csrfOf, isCsrf, newIdSesion } from './session.ts';

it('the token of an open form outlives the rotation of its key, until that key is gone', () => {
  const [old, next, id] = [randomBytes(32), randomBytes(32), newIdSesion()];
  const token = csrfOf([old], id);
  expect(isCsrf([old, next], id, token)).toBe(true);
  expect(isCsrf([next, old], id, token)).toBe(true);
  expect(isCsrf([next], id, token)).toBe(false);
  expect(isCsrf([next, old], newIdSesion(), token)).toBe(false);
  expect(csrfOf([next, old], id)).not.toBe(token);
});
