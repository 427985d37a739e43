import { randomBytes } from 'node:crypto';
import { AES_256_KEY_BYTES, openGcm, sealGcm } from '../crypto/aes-gcm.ts';
import { canonicalBytes } from '../crypto/canonical.ts';
import { hkdf } from '../crypto/hkdf.ts';
import type { Keyring } from './keyring.ts';

const SALT_BYTES = 32;

/** What ties both layers to their place: associated data of each, and the purpose that the inner key is derived for. */
export interface Binding {
  readonly inner: Buffer;
  readonly outer: Buffer;
  readonly keyInfo: string;
}

const innerKeyOf = (ikm: Buffer, salt: Uint8Array, { inner, keyInfo }: Binding) =>
  hkdf(ikm, salt, canonicalBytes(keyInfo, inner), AES_256_KEY_BYTES);

/**
 * Keyring wrap of [salt (32) ‖ IV (12) ‖ ciphertext ‖ tag (16)]. Inner layer: AES-256-GCM under HKDF-SHA-256 of `ikm`.
 * Outer layer: AES-256-GCM under the keyring. Zeroes nothing that it is given. Throws KeyringExhausted.
 */
export function sealLayers(plaintext: Uint8Array, binding: Binding, ikm: Buffer, keyring: Keyring): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const key = innerKeyOf(ikm, salt, binding);
  try {
    return keyring.wrap(Buffer.concat([salt, sealGcm(key, binding.inner, plaintext)]), binding.outer);
  } finally {
    key.fill(0);
  }
}

/** Opens what {@link sealLayers} returned, into a fresh buffer that the caller wipes; null whatever the reason. */
export function openLayers(wrapped: Uint8Array, binding: Binding, ikm: Buffer, keyring: Keyring): Buffer | null {
  const inner = keyring.unwrap(wrapped, binding.outer);
  if (inner === null) return null;
  const key = innerKeyOf(ikm, inner.subarray(0, SALT_BYTES), binding);
  try {
    return openGcm(key, binding.inner, inner.subarray(SALT_BYTES));
  } finally {
    key.fill(0);
  }
}
