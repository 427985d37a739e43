import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { labeledExpand, labeledExtract, suiteBytes } from './hpke-kdf.ts';

/** DHKEM(X25519, HKDF-SHA256) of RFC 9180, 4.1 and 7.1. */
export const KEM_ID = 0x0020;
const KEM_SUITE = suiteBytes('KEM', KEM_ID);

/** An X25519 key as the two forms that are needed: Node's object to compute with, and its public half on the wire. */
export interface X25519Public {
  readonly key: KeyObject;
  /** 32 bytes, RFC 7748. */
  readonly raw: Buffer;
}

export interface X25519Private {
  readonly key: KeyObject;
  readonly publicRaw: Buffer;
}

/** Reads a public key of 32 raw bytes. */
export function importX25519Public(raw: Buffer): X25519Public {
  // JWK is several times faster to import than DER in OpenSSL 3, and one is imported per opening.
  const jwk = { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') };
  return { key: createPublicKey({ key: jwk, format: 'jwk' }), raw };
}

/** Reads a private key of 32 raw bytes. */
export function importX25519Private(raw: Buffer): X25519Private {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), raw]);
  try {
    const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return { key, publicRaw: publicRawOf(createPublicKey(key)) };
  } finally {
    pkcs8.fill(0);
  }
}

function publicRawOf(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
}

/**
 * A fresh pair, for one context. The public half is encoded by the generation itself, and neither half is ever exported
 * afterwards: `export` holds the key's mutex while it allocates, and if that allocation collects the finished
 * generation job, whose destructor takes the same mutex, the process hangs for ever (Node 20, `ExportJWKEdKey` and
 * `~KeyGenJob`).
 */
export function generateX25519(): X25519Private {
  const { publicKey, privateKey } = generateWithPublicJwk('x25519', { publicKeyEncoding: { format: 'jwk' } });
  return { key: privateKey, publicRaw: Buffer.from(publicKey.x ?? '', 'base64url') };
}

/** Node's types lack this choice of options: one half as a JWK, the other as a KeyObject. Its manual has it. */
const generateWithPublicJwk = generateKeyPairSync as unknown as (
  type: 'x25519',
  options: { readonly publicKeyEncoding: { readonly format: 'jwk' } },
) => { readonly publicKey: JsonWebKey; readonly privateKey: KeyObject };

/**
 * X25519, or null when the result is all zeros: the peer's key is a point of small order, and RFC 9180, 7.1.4 demands
 * to stop. OpenSSL refuses such keys itself.
 */
function sharedPoint(privateKey: KeyObject, publicKey: KeyObject): Buffer | null {
  try {
    const point = diffieHellman({ privateKey, publicKey });
    return point.some((byte) => byte !== 0) ? point : null;
  } catch {
    return null;
  }
}

function extractAndExpand(point: Buffer, enc: Buffer, recipient: Buffer): Buffer {
  const prk = labeledExtract(KEM_SUITE, Buffer.alloc(0), 'eae_prk', point);
  try {
    return labeledExpand(KEM_SUITE, prk, 'shared_secret', Buffer.concat([enc, recipient]), CLAVE_BYTES);
  } finally {
    prk.fill(0);
  }
}

/**
 * Encap with a given ephemeral key (RFC 9180, 4.1). Null for a recipient of small order. The caller zeroes the secret.
 */
export function encapsulate(
  recipient: X25519Public,
  ephemeral: X25519Private,
): { readonly enc: Buffer; readonly sharedSecret: Buffer } | null {
  const point = sharedPoint(ephemeral.key, recipient.key);
  if (point === null) return null;
  try {
    const enc = ephemeral.publicRaw;
    return { enc, sharedSecret: extractAndExpand(point, enc, recipient.raw) };
  } finally {
    point.fill(0);
  }
}

/** Decap (RFC 9180, 4.1). Null when `enc` is no usable public key. The caller zeroes the secret. */
export function decapsulate(enc: Buffer, recipient: X25519Private): Buffer | null {
  if (enc.length !== CLAVE_BYTES) return null;
  const point = sharedPoint(recipient.key, importX25519Public(enc).key);
  if (point === null) return null;
  try {
    return extractAndExpand(point, enc, recipient.publicRaw);
  } finally {
    point.fill(0);
  }
}
