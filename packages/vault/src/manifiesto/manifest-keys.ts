import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { ManifestSigner } from '@acuse/core';
import { firstKey, parseKeys } from '../ajustes/open-claves.ts';
import { CLAVE_BYTES, decodeClave32 } from '../crypto/clave-32.ts';

/** DER around a raw Ed25519 key of 32 bytes (RFC 8410, section 7 and section 4). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Reads the seed of an Ed25519 key from a setting. Throws RangeError when it is not 32 bytes in base64. */
function importManifestKey(base64: string): KeyObject {
  const seed = decodeClave32(base64);
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } finally {
    seed.fill(0);
    der.fill(0);
  }
}

/** The public half of a seed, as `MANIFEST_PUBLIC_KEYS` has it: 32 raw bytes in base64. Throws RangeError. */
export function manifestPublicKeyOf(seed: string): string {
  const der = createPublicKey(importManifestKey(seed)).export({ format: 'der', type: 'spki' });
  return der.subarray(-CLAVE_BYTES).toString('base64');
}

/** `MANIFEST_PUBLIC_KEYS` of all keys of `MANIFEST_KEYS`, in its order. Throws RangeError. */
export function manifestPublicKeysOf(list: string): string {
  return [...parseKeys('MANIFEST_KEYS', list, manifestPublicKeyOf)].map(([kid, key]) => `${kid}:${key}`).join(',');
}

/** Signs manifests with the first key of `MANIFEST_KEYS`, `kid:base64 of the seed,…`. Throws RangeError. */
export function openManifestSigner(list: string): ManifestSigner {
  const { id: kid, key } = firstKey(parseKeys('MANIFEST_KEYS', list, importManifestKey));
  return { kid, sign: (text) => sign(null, Buffer.from(text), key) };
}

/** A public key as `/.well-known/acuse-manifiesto.json` publishes it. */
export interface LlavePublicada {
  readonly kid: string;
  readonly algoritmo: 'Ed25519';
  /** SubjectPublicKeyInfo (RFC 8410), DER in base64; its last 32 bytes are the raw key. */
  readonly publica: string;
}

/** The published form of `MANIFEST_PUBLIC_KEYS`, `kid:base64 of 32 raw bytes,…`, in its order. Throws RangeError. */
export function publishedKeys(list: string): readonly LlavePublicada[] {
  const keys = parseKeys('MANIFEST_PUBLIC_KEYS', list, (raw) => Buffer.concat([SPKI_PREFIX, decodeClave32(raw)]));
  return [...keys].map(([kid, spki]) => ({ kid, algoritmo: 'Ed25519', publica: spki.toString('base64') }));
}
