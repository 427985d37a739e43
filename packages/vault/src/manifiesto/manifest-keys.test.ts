import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { manifestPublicKeyOf, openManifestSigner, publishedKeys } from './manifest-keys.ts';

const base64Of = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
// RFC 8032, section 7.1, TEST 2.
const SEED = base64Of('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb');
const PUBLIC = base64Of('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c');
const SIGNATURE =
  '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00';
const OTHER = Buffer.alloc(32, 7).toString('base64');

test('signs with the first key of the list, as RFC 8032 says', () => {
  const signer = openManifestSigner(`m2:${SEED},m1:${OTHER}`);
  expect([signer.kid, signer.sign('r').toString('hex')]).toEqual(['m2', SIGNATURE]);
});

test('derives and publishes public keys that verify', () => {
  expect(manifestPublicKeyOf(SEED)).toBe(PUBLIC);
  const [first, second] = publishedKeys(`m2:${PUBLIC},m1:${manifestPublicKeyOf(OTHER)}`);
  expect([first?.kid, first?.algoritmo, second?.kid]).toEqual(['m2', 'Ed25519', 'm1']);
  const key = createPublicKey({ key: Buffer.from(first?.publica ?? '', 'base64'), format: 'der', type: 'spki' });
  expect(verify(null, Buffer.from('r'), key, Buffer.from(SIGNATURE, 'hex'))).toBe(true);
});

test('refuses lists that hold no keys of 32 bytes', () => {
  for (const list of ['', 'm1', 'm1:abc', `m1:${SEED},m1:${OTHER}`]) {
    expect(() => openManifestSigner(list)).toThrow(RangeError);
    expect(() => publishedKeys(list)).toThrow(RangeError);
  }
});
