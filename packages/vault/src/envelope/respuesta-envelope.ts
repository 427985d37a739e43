import { createHash } from 'node:crypto';
import { canonicalBytes } from '../crypto/canonical.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { hkdf } from '../crypto/hkdf.ts';
import { type Keyring, openLayers, sealLayers } from './keyring.ts';

/** The request that a kept answer belongs to. Every field is bound to the ciphertext. */
interface ContextoRespuesta {
  readonly apiKeyId: string;
  /** Operation path without the /api/v1/ prefix, such as `tax/facturas`. */
  readonly operacion: string;
  /** The caller's `Idempotency-Key`. */
  readonly clave: string;
  /** HTTP status of the answer. */
  readonly status: number;
}

/** The secret of the caller's API key, and the server's keys. */
interface ClavesRespuesta {
  readonly secret: Buffer;
  readonly keyring: Keyring;
}

const VERSION = 1;

function bindingOf({ apiKeyId, operacion, clave, status }: ContextoRespuesta) {
  const fields = [Uint8Array.of(VERSION), apiKeyId, operacion, clave, String(status)];
  return {
    inner: canonicalBytes('acuse/v1/respuesta', 'inner', ...fields),
    outer: canonicalBytes('acuse/v1/respuesta', 'outer', ...fields),
    keyInfo: 'acuse/v1/respuesta/key',
  };
}

/**
 * Encrypts an answer that is kept for its repetition, under the API key and the keyring as a credential is: version (1)
 * ‖ both layers.
 */
export function sealRespuesta(
  cuerpo: string,
  contexto: ContextoRespuesta,
  { secret, keyring }: ClavesRespuesta,
): Buffer {
  const sealed = sealLayers(Buffer.from(cuerpo), bindingOf(contexto), secret, keyring);
  return Buffer.concat([Uint8Array.of(VERSION), sealed]);
}

/** Opens what {@link sealRespuesta} returned; null whatever the reason. */
export function openRespuesta(
  sealed: Uint8Array,
  contexto: ContextoRespuesta,
  { secret, keyring }: ClavesRespuesta,
): string | null {
  if (sealed[0] !== VERSION) return null;
  return openLayers(sealed.subarray(1), bindingOf(contexto), secret, keyring)?.toString() ?? null;
}

/**
 * 32 bytes that are equal for equal bodies of one operation and key, and tell nothing of them without the API key: a
 * body may carry a password that is short enough to be guessed from a plain hash.
 */
export function huellaDeCuerpo(
  campos: readonly (string | Uint8Array)[],
  { apiKeyId, operacion }: Pick<ContextoRespuesta, 'apiKeyId' | 'operacion'>,
  secret: Buffer,
): Buffer {
  const cuerpo = canonicalBytes(...campos);
  const salt = createHash('sha256').update(cuerpo).digest();
  cuerpo.fill(0);
  return hkdf(secret, salt, canonicalBytes('acuse/v1/respuesta/cuerpo', apiKeyId, operacion), CLAVE_BYTES);
}
