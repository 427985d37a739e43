import { expect, it } from 'vitest';
import { enlaceDe, huellaDe, newToken } from './enlace.ts';

it('makes tokens of 256 bits, each another', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
});

it('puts the token into the fragment, which browsers send to no server', () => {
  const url = new URL(enlaceDe('https://api.example.com/', 'abc'));
  expect([url.pathname, url.search, url.hash]).toEqual(['/conectar', '', '#abc']);
});

it('hashes a token, and nothing that is none', () => {
  const token = newToken();
  expect(huellaDe(token)).toHaveLength(32);
  // The last character has two unused bits: another spelling of the same bytes is no token.
  const respelled = token.slice(0, -1) + String.fromCharCode(token.charCodeAt(42) + 1);
  for (const wrong of [`${token}A`, token.slice(1), respelled, '', null, [token]]) expect(huellaDe(wrong)).toBeNull();
});
