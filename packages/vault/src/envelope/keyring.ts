import { randomBytes } from 'node:crypto';
import type { Sellado } from '@acuse/core';
import { AES_256_KEY_BYTES, GCM_IV_BYTES, GCM_TAG_BYTES, openGcm, sealGcm } from '../crypto/aes-gcm.ts';
import { canonicalBytes } from '../crypto/canonical.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { hkdf } from '../crypto/hkdf.ts';

const KID = /^[A-Za-z0-9._-]{1,32}$/;
const WRAP_OVERHEAD = 1 + GCM_IV_BYTES + GCM_TAG_BYTES;

/** Random 96-bit IVs allow 2^32 encryptions a key (NIST SP 800-38D, 8.3); each process stops 16 times earlier. */
export const MAX_ENCRYPTIONS_PER_KID = 2 ** 28;

/** A kid reached its limit of encryptions in this process: put a new current key into the settings. */
export class KeyringExhausted extends Error {
  constructor(kid: string) {
    super(`The key ${kid} has been used too often: rotate the keyring`);
    this.name = 'KeyringExhausted';
  }
}

/** The server's keys for the outer layer. Several at once: `current` encrypts, all of them decrypt. */
export interface Keyring {
  readonly current: string;
  /** kid length (1) ‖ kid ‖ IV (12) ‖ ciphertext ‖ tag (16), under the current key. Throws KeyringExhausted. */
  wrap(plaintext: Uint8Array, aad: Uint8Array): Buffer;
  /** Opens what `wrap` returned, whatever its kid. Null when the kid is unknown or anything was changed. */
  unwrap(wrapped: Uint8Array, aad: Uint8Array): Buffer | null;
}

/** The kid in front of wrapped bytes, or null. Not authenticated before `unwrap`. */
export function kidOf(wrapped: Uint8Array): string | null {
  const length = wrapped[0] ?? 0;
  if (wrapped.length < length + WRAP_OVERHEAD) return null;
  const kid = Buffer.from(wrapped.buffer, wrapped.byteOffset + 1, length).toString('latin1');
  return KID.test(kid) ? kid : null;
}

/**
 * Makes a keyring from kid → 32-byte AES-256 key. Throws RangeError for a kid that is not 1 to 32 letters, digits,
 * dots, hyphens or underscores, for a key of another length, for the same key under two kids, and for a `current` not
 * in the list.
 */
export function createKeyring(options: {
  readonly keys: ReadonlyMap<string, Buffer>;
  readonly current: string;
  readonly maxEncryptions?: number;
}): Keyring {
  const keys = new Map<string, Buffer>();
  for (const [kid, key] of options.keys) {
    if (!KID.test(kid)) throw new RangeError('A kid is 1 to 32 letters, digits, dots, hyphens or underscores');
    if (key.length !== CLAVE_BYTES) throw new RangeError(`The key ${kid} does not have 32 bytes`);
    if ([...keys.values()].some((other) => other.equals(key))) {
      throw new RangeError(`The key ${kid} is in the keyring twice`);
    }
    keys.set(kid, key);
  }
  const currentKey = keys.get(options.current);
  if (currentKey === undefined) throw new RangeError(`The current key ${options.current} is not in the keyring`);
  const limit = Math.min(options.maxEncryptions ?? MAX_ENCRYPTIONS_PER_KID, MAX_ENCRYPTIONS_PER_KID);
  const currentKid = options.current;
  let used = 0;

  const bind = (kid: string, aad: Uint8Array) => canonicalBytes('acuse/v1/keyring', kid, aad);

  return {
    current: currentKid,
    wrap(plaintext, aad) {
      if (used >= limit) throw new KeyringExhausted(currentKid);
      used += 1;
      const prefix = Buffer.concat([Uint8Array.of(currentKid.length), Buffer.from(currentKid, 'latin1')]);
      return Buffer.concat([prefix, sealGcm(currentKey, bind(currentKid, aad), plaintext)]);
    },
    unwrap(wrapped, aad) {
      const kid = kidOf(wrapped);
      const key = kid === null ? undefined : keys.get(kid);
      if (kid === null || key === undefined) return null;
      return openGcm(key, bind(kid, aad), wrapped.subarray(1 + kid.length));
    },
  };
}

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

/**
 * Moves what {@link createSellado} sealed to the keyring's current key. Null when it is there already, or does not
 * open.
 */
export function rewrapSellado(sellado: Uint8Array, contexto: readonly string[], keyring: Keyring): Buffer | null {
  if (kidOf(sellado) === keyring.current) return null;
  const claro = keyring.unwrap(sellado, canonicalBytes(...contexto));
  if (claro === null) return null;
  try {
    return keyring.wrap(claro, canonicalBytes(...contexto));
  } finally {
    claro.fill(0);
  }
}

/**
 * Seals what the processes of an installation share (sessions with the portals) under a keyring: AES-256-GCM, bound to
 * its context.
 */
export function createSellado(keyring: Keyring): Sellado {
  return {
    seal: (claro, contexto) => keyring.wrap(claro, canonicalBytes(...contexto)),
    open: (sellado, contexto) => keyring.unwrap(sellado, canonicalBytes(...contexto)),
  };
}
