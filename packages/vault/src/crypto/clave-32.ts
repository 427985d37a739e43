import { secretBytes } from './secret-bytes.ts';

/** Bytes of every symmetric key, pepper and X25519 key of this package. */
export const CLAVE_BYTES = 32;

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/**
 * Reads a 32-byte key from a setting: base64 with padding, 44 characters. Throws RangeError, without the value, for
 * anything else, so that a wrong key stops the start and not the first request.
 */
export function decodeClave32(base64: string): Buffer {
  if (!BASE64_OF_32_BYTES.test(base64)) throw new RangeError('A key is 32 bytes in base64 (44 characters)');
  const clave = secretBytes(CLAVE_BYTES);
  clave.write(base64, 'base64');
  return clave;
}
