import { createHmac } from 'node:crypto';
import { secretBytes } from './secret-bytes.ts';

const HASH_BYTES = 32;
const NONE = Buffer.alloc(0);

/** HKDF-Extract with SHA-256 (RFC 5869, 2.2). An empty salt means 32 zero bytes. */
export function hkdfExtract(salt: Uint8Array, ikm: Uint8Array): Buffer {
  return createHmac('sha256', salt).update(ikm).digest();
}

/** HKDF-Expand with SHA-256 (RFC 5869, 2.3). `length` in bytes, at most 255 × 32. */
export function hkdfExpand(prk: Uint8Array, info: Uint8Array, length: number): Buffer {
  if (length < 1 || length > 255 * HASH_BYTES) throw new RangeError('HKDF output is 1 to 8160 bytes');
  if (length === HASH_BYTES) return expandBlock(prk, NONE, info, 1);
  const okm = secretBytes(length);
  let block: Buffer = NONE;
  for (let offset = 0, counter = 1; offset < length; offset += HASH_BYTES, counter += 1) {
    const next = expandBlock(prk, block, info, counter);
    block.fill(0);
    block = next;
    block.copy(okm, offset, 0, Math.min(HASH_BYTES, length - offset));
  }
  block.fill(0);
  return okm;
}

function expandBlock(prk: Uint8Array, before: Buffer, info: Uint8Array, counter: number): Buffer {
  const hmac = createHmac('sha256', prk);
  if (before.length > 0) hmac.update(before);
  return hmac.update(info).update(Uint8Array.of(counter)).digest();
}

/** HKDF-SHA-256, both steps (RFC 5869). The caller zeroes the result. */
export function hkdf(ikm: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer {
  const prk = hkdfExtract(salt, ikm);
  try {
    return hkdfExpand(prk, info, length);
  } finally {
    prk.fill(0);
  }
}
