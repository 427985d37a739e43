import type { TipoCredencial } from '@acuse/core';
import { GCM_TAG_BYTES } from '../crypto/aes-gcm.ts';
import { canonicalBytes } from '../crypto/canonical.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import type { HpkeOrigin } from './hpke.ts';
import { twoBytes } from './hpke-kdf.ts';
import type { HpkeMessage } from './hpke-sender.ts';

/** The solicitud a sealed copy of a credential belongs to. Every field is bound to the ciphertext. */
export interface ContextoSolicitud {
  readonly solicitudId: string;
  readonly cuenta: string;
  readonly rfc: string;
  readonly tipo: TipoCredencial;
  /**
   * When the copy may no longer be used, to the millisecond as it is stored: the deadline of the solicitud, or the end
   * of the e.firma's hour if that is earlier. Whether it has passed is the database's to say.
   */
  readonly expiraEn: Date;
}

/** `info` of RFC 9180: ties the keys to this purpose. */
export const HPKE_INFO = Buffer.from('acuse/v1/credencial-solicitud');
const VERSION = 1;
const SEQ_BYTES = 2;
const NAME = /^[A-Za-z0-9._-]{1,32}$/;

/** Names in front of the ciphertext: which private key and which pre-shared key open it. */
export interface SealedNames {
  readonly kid: string;
  readonly pskId: string;
}

/** Throws RangeError unless both names are 1 to 32 letters, digits, dots, hyphens or underscores. */
export function requireName(name: string): void {
  if (!NAME.test(name))
    throw new RangeError('A kid or PSK id is 1 to 32 letters, digits, dots, hyphens or underscores');
}

export function sealedAad(contexto: ContextoSolicitud, { kid, pskId }: SealedNames): Buffer {
  const { solicitudId, cuenta, rfc, tipo, expiraEn } = contexto;
  return canonicalBytes(Uint8Array.of(VERSION), solicitudId, cuenta, rfc, tipo, expiraEn, kid, pskId);
}

/** What stands in sealed bytes: names, where the message comes from, and ciphertext ‖ tag. */
export interface SealedParts extends SealedNames, HpkeOrigin {
  readonly ciphertext: Buffer;
}

/**
 * What stands in front of every sealed copy under these names: version (1) ‖ kid length (1) ‖ kid ‖ PSK id length (1) ‖
 * PSK id.
 */
export function sealedPrefix({ kid, pskId }: SealedNames): Buffer {
  const names = [kid, pskId].flatMap((name) => [Uint8Array.of(name.length), Buffer.from(name, 'latin1')]);
  return Buffer.concat([Uint8Array.of(VERSION), ...names]);
}

/** {@link sealedPrefix} ‖ HPKE enc (32) ‖ sequence number (2) ‖ ciphertext ‖ tag (16). */
export function joinSealed(prefix: Buffer, enc: Buffer, { seq, ciphertext }: HpkeMessage): Buffer {
  return Buffer.concat([prefix, enc, twoBytes(seq), ciphertext]);
}

/** Takes apart what {@link joinSealed} put together, or returns null. */
export function splitSealed(bytes: Uint8Array): SealedParts | null {
  const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (sealed[0] !== VERSION) return null;
  const kidEnd = 2 + (sealed[1] ?? 0);
  const pskEnd = kidEnd + 1 + (sealed[kidEnd] ?? 0);
  const encEnd = pskEnd + CLAVE_BYTES;
  if (sealed.length < encEnd + SEQ_BYTES + GCM_TAG_BYTES) return null;
  const kid = sealed.toString('latin1', 2, kidEnd);
  const pskId = sealed.toString('latin1', kidEnd + 1, pskEnd);
  if (!NAME.test(kid) || !NAME.test(pskId)) return null;
  const enc = sealed.subarray(pskEnd, encEnd);
  return {
    kid,
    pskId,
    enc,
    seq: sealed.readUInt16BE(encEnd),
    ciphertext: sealed.subarray(encEnd + SEQ_BYTES),
  };
}
