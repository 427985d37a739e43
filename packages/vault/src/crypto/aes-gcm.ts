import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-GCM with 96-bit IVs and whole 16-byte tags (NIST SP 800-38D). The key length chooses AES-128 or AES-256. */
export const GCM_IV_BYTES = 12;
export const GCM_TAG_BYTES = 16;
export const AES_256_KEY_BYTES = 32;
const TAG_OPTIONS = { authTagLength: GCM_TAG_BYTES } as const;

function cipherName(key: Uint8Array): 'aes-128-gcm' | 'aes-256-gcm' {
  if (key.length === AES_256_KEY_BYTES) return 'aes-256-gcm';
  if (key.length === 16) return 'aes-128-gcm';
  throw new TypeError('An AES-GCM key has 16 or 32 bytes');
}

/**
 * Encrypts. Returns the ciphertext followed by its 16-byte tag. Never give the same key and IV twice: use
 * {@link sealGcm} unless a protocol derives the nonce.
 */
export function encryptGcm(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Buffer {
  if (iv.length !== GCM_IV_BYTES) throw new TypeError('An AES-GCM IV has 12 bytes');
  const cipher = createCipheriv(cipherName(key), key, iv, TAG_OPTIONS);
  cipher.setAAD(aad);
  const ciphertext = cipher.update(plaintext);
  // A stream mode: `final` only makes the tag and never adds bytes.
  cipher.final();
  return Buffer.concat([ciphertext, cipher.getAuthTag()]);
}

/**
 * Decrypts what {@link encryptGcm} returned. Returns null when the tag does not match or is shorter than 16 bytes
 * (Node would take a tag of 4 bytes unless told its length). Unauthenticated plaintext is zeroed.
 */
export function decryptGcm(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Buffer | null {
  if (iv.length !== GCM_IV_BYTES || sealed.length < GCM_TAG_BYTES) return null;
  const end = sealed.length - GCM_TAG_BYTES;
  const decipher = createDecipheriv(cipherName(key), key, iv, TAG_OPTIONS);
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(end));
  const plaintext = decipher.update(sealed.subarray(0, end));
  try {
    // A stream mode: `final` only checks the tag and never adds bytes.
    decipher.final();
    return plaintext;
  } catch {
    plaintext.fill(0);
    return null;
  }
}

/** Encrypts under a fresh random IV: IV (12) ‖ ciphertext ‖ tag (16). */
export function sealGcm(key: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Buffer {
  const iv = randomBytes(GCM_IV_BYTES);
  return Buffer.concat([iv, encryptGcm(key, iv, aad, plaintext)]);
}

/** Opens what {@link sealGcm} returned, or returns null. */
export function openGcm(key: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Buffer | null {
  return decryptGcm(key, sealed.subarray(0, GCM_IV_BYTES), aad, sealed.subarray(GCM_IV_BYTES));
}
