import type { Credencial, TipoCredencial } from '@acuse/core';
import { secretBytes } from './crypto/secret-bytes.ts';

/**
 * A stored or sealed credential could not be opened. Deliberately says nothing more: a wrong key, a wrong context, a
 * destroyed key and a changed byte look the same to the caller, to a log and to an attacker who can write to the
 * database.
 */
export class CredencialIlegible extends Error {
  constructor() {
    super('The credential cannot be opened');
    this.name = 'CredencialIlegible';
  }
}

const TIPO_BYTE: Record<TipoCredencial, number> = { ciec: 1, efirma: 2 };
const LENGTH_BYTES = 4;
/** Plaintexts are padded to a multiple of this, so that the length of a CIEC does not show. */
const BLOCK = 32;

/**
 * A credential as the plaintext of an envelope: type (1), then each part as length (4, big endian) and bytes, then
 * zeros up to a multiple of 32. A CIEC has one part; an e.firma has two, certificate and key. The RFC is not in it: it
 * is bound as associated data. The caller zeroes the result.
 */
export function encodeCredencial(credencial: Credencial): Buffer {
  const parts = credencial.tipo === 'ciec' ? [credencial.ciec] : [credencial.cer, credencial.key];
  const length = parts.reduce((sum, part) => sum + LENGTH_BYTES + part.length, 1);
  const bytes = secretBytes(Math.ceil(length / BLOCK) * BLOCK);
  let offset = bytes.writeUInt8(TIPO_BYTE[credencial.tipo], 0);
  for (const part of parts) {
    offset = bytes.writeUInt32BE(part.length, offset);
    offset += part.copy(bytes, offset);
  }
  return bytes;
}

/**
 * Reads the output of {@link encodeCredencial} into buffers of its own and zeroes the input.
 * @throws CredencialIlegible for null (an envelope that did not open), for any other content and for another type.
 */
export function decodeCredencial(
  plaintext: Buffer | null,
  { tipo, rfc }: { readonly tipo: TipoCredencial; readonly rfc: string },
): Credencial {
  try {
    const credencial = plaintext && parse(plaintext, tipo, rfc);
    if (credencial === null) throw new CredencialIlegible();
    return credencial;
  } finally {
    plaintext?.fill(0);
  }
}

function parse(bytes: Buffer, tipo: TipoCredencial, rfc: string): Credencial | null {
  if (bytes[0] !== TIPO_BYTE[tipo]) return null;
  let offset = 1;
  const next = (): Buffer | null => {
    if (bytes.length - offset < LENGTH_BYTES) return null;
    const start = offset + LENGTH_BYTES;
    const end = start + bytes.readUInt32BE(offset);
    if (end > bytes.length) return null;
    offset = end;
    return bytes.subarray(start, end);
  };
  const isWhole = () => bytes.length - offset < BLOCK && isZero(bytes, offset);
  const first = next();
  if (first === null) return null;
  if (tipo === 'ciec') return isWhole() ? { tipo, rfc, ciec: ownCopy(first) } : null;
  const key = next();
  if (key === null || !isWhole()) return null;
  return { tipo, rfc, cer: ownCopy(first), key: ownCopy(key) };
}

function isZero(bytes: Buffer, start: number): boolean {
  for (let offset = start; offset < bytes.length; offset += 1) if (bytes[offset] !== 0) return false;
  return true;
}

/** In memory of its own, outside of the pool that Node shares out. */
export function ownCopy(bytes: Buffer): Buffer {
  const copy = secretBytes(bytes.length);
  bytes.copy(copy);
  return copy;
}
