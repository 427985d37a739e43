import { secretBytes } from '../crypto/secret-bytes.ts';

const INVALID = 0xff;
const PAD = 0x3d;
const DIGITS = new Uint8Array(256).fill(INVALID);
for (const [value, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  DIGITS[char.charCodeAt(0)] = value;
}

/**
 * Decodes base64 from bytes to bytes, so that a secret never is a string: the standard alphabet with padding (RFC 4648,
 * 4), no blanks or line ends, no bits left over. Returns null for anything else; the empty text is the empty buffer.
 */
export function decodeBase64(text: Uint8Array): Buffer | null {
  if (text.length % 4 !== 0) return null;
  let digits = text.length;
  while (digits > text.length - 2 && text[digits - 1] === PAD) digits -= 1;
  const bytes = secretBytes((digits * 3) >> 2);
  let accumulator = 0;
  let bits = 0;
  let offset = 0;
  let invalid = 0;
  for (let index = 0; index < digits; index += 1) {
    const digit = DIGITS[text[index] ?? 0] ?? INVALID;
    invalid |= digit & 0x80;
    accumulator = ((accumulator << 6) | digit) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    offset = bytes.writeUInt8((accumulator >> bits) & 0xff, offset);
  }
  const left = accumulator & ((1 << bits) - 1);
  if (invalid === 0 && left === 0) return bytes;
  bytes.fill(0);
  return null;
}
