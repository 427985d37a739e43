import type { Credencial } from '@acuse/core';
import { CredencialIlegible, decodeCredencial } from '../credencial-bytes.ts';
import { GCM_TAG_BYTES } from '../crypto/aes-gcm.ts';
import { canonicalBytes } from '../crypto/canonical.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { AES_256_GCM, createHpke } from './hpke.ts';
import type { Opener } from './sealed-credencial.ts';

/** Connection for which a browser seals a credential to the workers; both fields are bound to the ciphertext. */
export interface ContextoNavegador {
  readonly conexionId: string;
  readonly rfc: string;
}

/** A browser shares no key with the workers: HPKE mode base, under an `info` of its own. */
const HPKE = createHpke({ aead: AES_256_GCM, info: Buffer.from('acuse/v1/conexion'), psk: null });
const VERSION = 2;

/**
 * Opens a CIEC that a browser sealed: version 2 (1) ‖ kid length (1) ‖ kid ‖ HPKE enc (32) ‖ ciphertext ‖ tag (16). Its
 * plaintext is that of every envelope. Throws {@link CredencialIlegible} whatever the reason.
 */
export function openDelNavegador(
  sobre: Uint8Array,
  { conexionId, rfc }: ContextoNavegador,
  opener: Opener,
): Credencial {
  const bytes = Buffer.from(sobre);
  const kidEnd = 2 + (bytes[1] ?? 0);
  const encEnd = kidEnd + CLAVE_BYTES;
  const kid = bytes.toString('latin1', 2, kidEnd);
  const key = opener.keyOf(kid);
  if (bytes[0] !== VERSION || key === null || bytes.length < encEnd + GCM_TAG_BYTES) throw new CredencialIlegible();
  const origin = { enc: bytes.subarray(kidEnd, encEnd), seq: 0 };
  const aad = canonicalBytes(Uint8Array.of(VERSION), conexionId, rfc, kid);
  return decodeCredencial(HPKE.open(key, origin, aad, bytes.subarray(encEnd)), { tipo: 'ciec', rfc });
}
