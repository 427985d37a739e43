import { expect, it } from 'vitest';
import { directUrl } from './client.ts';

it.each([
  ['postgres://u:p@db:5432/acuse?sslmode=disable', 'postgres://u:p@db:5432/acuse?sslmode=disable'],
  ['postgres://u:p@pool:6432/acuse?pgbouncer=true&direct=db:5433', 'postgres://u:p@db:5433/acuse'],
  [
    'postgres://u:p@pool:6432/acuse?sslmode=disable&pgbouncer=prepared&direct=db',
    'postgres://u:p@db/acuse?sslmode=disable',
  ],
  [
    'postgres://u:p@pool:6432/acuse?pgbouncer=true&direct=a:5433,b',
    'postgres://u:p@a:5433/acuse?host=a%2Cb&port=5433%2C5432',
  ],
])('%s leads to PostgreSQL itself at %s', (url, direct) => expect(directUrl(url)).toBe(direct));

it('says that the address of PostgreSQL itself is missing', () => {
  expect(() => directUrl('postgres://u:p@pool:6432/acuse?pgbouncer=true')).toThrow('&direct=servidor:5432');
});
