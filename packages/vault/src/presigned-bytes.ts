import type { Presigned } from '@acuse/core';
import { CredencialIlegible, ownCopy } from './credencial-bytes.ts';
import { secretBytes } from './crypto/secret-bytes.ts';

/** After the types of credentials, which are 1 and 2. */
const TIPO_BYTE = 3;
const LENGTH_BYTES = 4;
const SIZE_BYTES = 2;
const HUELLA_BYTES = 16;

/**
 * Signatures made beforehand as the plaintext of an envelope: type (1), length of the certificate (4, big endian), certificate, length of a
 * signature (2, big endian), then each signature after the 16 bytes that name it. The RFC is not in it: it is bound as
 * associated data. The caller zeroes the result. Throws RangeError for signatures of several lengths.
 */
export function encodePresigned({ cer, firmas }: Presigned): Buffer {
  const size = firmas.values().next().value?.length ?? 0;
  const bytes = secretBytes(1 + LENGTH_BYTES + cer.length + SIZE_BYTES + firmas.size * (HUELLA_BYTES + size));
  let offset = bytes.writeUInt8(TIPO_BYTE, 0);
  offset = bytes.writeUInt32BE(cer.length, offset);
  offset += cer.copy(bytes, offset);
  offset = bytes.writeUInt16BE(size, offset);
  for (const [huella, firma] of firmas) {
    if (firma.length !== size) throw new RangeError('Signatures made beforehand are of one length');
    offset += bytes.write(huella, offset, HUELLA_BYTES, 'hex');
    offset += firma.copy(bytes, offset);
  }
  return bytes;
}

/**
 * Reads the output of {@link encodeCapsula} into buffers of its own and zeroes the input.
 * @throws CredencialIlegible for null (an envelope that did not open) and for any other content.
 */
export function decodePresigned(plaintext: Buffer | null, rfc: string): Presigned {
  try {
    const presigned = plaintext && parse(plaintext, rfc);
    if (presigned === null) throw new CredencialIlegible();
    return presigned;
  } finally {
    plaintext?.fill(0);
  }
}

function parse(bytes: Buffer, rfc: string): Presigned | null {
  if (bytes.length < 1 + LENGTH_BYTES + SIZE_BYTES || bytes[0] !== TIPO_BYTE) return null;
  const cerStart = 1 + LENGTH_BYTES;
  const cerEnd = cerStart + bytes.readUInt32BE(1);
  if (cerEnd + SIZE_BYTES > bytes.length) return null;
  const size = bytes.readUInt16BE(cerEnd);
  const firmas = new Map<string, Buffer>();
  let offset = cerEnd + SIZE_BYTES;
  while (offset + HUELLA_BYTES + size <= bytes.length) {
    const start = offset + HUELLA_BYTES;
    firmas.set(bytes.toString('hex', offset, start), ownCopy(bytes.subarray(start, start + size)));
    offset = start + size;
  }
  return offset === bytes.length
    ? { tipo: 'presigned', rfc, cer: ownCopy(bytes.subarray(cerStart, cerEnd)), firmas }
    : null;
}
