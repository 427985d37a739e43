import { expect, it } from 'vitest';
import * as z from 'zod';
import { loadConfig } from './load.ts';
import { proxyFields } from './shared-fields.ts';

const schema = z.object(proxyFields);

it('trusts no proxy unless some are named, as blocks or single addresses', () => {
  expect(loadConfig(schema, {})).toEqual({ TRUSTED_PROXIES: [] });
  expect(loadConfig(schema, { TRUSTED_PROXIES: '10.0.0.0/8, ::1' })).toEqual({
    TRUSTED_PROXIES: ['10.0.0.0/8', '::1'],
  });
});

it.each(['proxy', '10.0.0.0/8,proxy', '0x7f.1', '0x7f.1/8', '2130706433', '10.0.0.0/33'])(
  'refuses %s, which is read in more than one way or in none',
  (text) => {
    expect(() => loadConfig(schema, { TRUSTED_PROXIES: text })).toThrow('TRUSTED_PROXIES');
  },
);
