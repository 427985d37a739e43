import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { decryptGcm, encryptGcm, GCM_IV_BYTES } from '../crypto/aes-gcm.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { hkdfExpand, hkdfExtract } from '../crypto/hkdf.ts';

/*
 * Hybrid public key encryption, RFC 9180: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-GCM, modes base and psk. On
 * Node's native X25519; nothing here is a primitive of our own.
 */

const VERSION_LABEL = Buffer.from('HPKE-v1');

/** I2OSP(value, 2) of RFC 8017: two bytes, big endian. */
export function twoBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** The suite_id of RFC 9180, 4.1 (`KEM`) and 5.1 (`HPKE`): a name and its algorithm numbers. */
function suiteBytes(name: 'KEM' | 'HPKE', ...ids: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from(name), ...ids.map(twoBytes)]);
}

/** LabeledExtract of RFC 9180, 4, with HKDF-SHA256. */
function labeledExtract(suite: Buffer, salt: Uint8Array, label: string, ikm: Uint8Array): Buffer {
  const labeled = Buffer.concat([VERSION_LABEL, suite, Buffer.from(label), ikm]);
  try {
    return hkdfExtract(salt, labeled);
  } finally {
    labeled.fill(0);
  }
}

/** LabeledExpand of RFC 9180, 4, with HKDF-SHA256. */
function labeledExpand(suite: Buffer, prk: Uint8Array, label: string, info: Uint8Array, length: number): Buffer {
  const labeled = Buffer.concat([twoBytes(length), VERSION_LABEL, suite, Buffer.from(label), info]);
  return hkdfExpand(prk, labeled, length);
}

/** DHKEM(X25519, HKDF-SHA256) of RFC 9180, 4.1 and 7.1. */
const KEM_ID = 0x0020;
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

/**
 * Messages that one context can number: the sequence number travels in two bytes. RFC 9180, 5.2 would allow 2^96 - 1.
 */
export const MAX_SEQUENCE = 2 ** 16;

/** What the key schedule gives for the messages of one context. */
export interface HpkeKeys {
  readonly key: Buffer;
  readonly baseNonce: Buffer;
}

/** One message of a context. */
export interface HpkeMessage {
  readonly seq: number;
  /** Ciphertext followed by its 16-byte tag. */
  readonly ciphertext: Buffer;
}

/** ComputeNonce of RFC 9180, 5.2: the base nonce with the sequence number, big endian, XORed into its end. */
export function nonceOf(baseNonce: Buffer, seq: number): Buffer {
  const nonce = Buffer.from(baseNonce);
  const end = nonce.length - 4;
  nonce.writeUInt32BE((nonce.readUInt32BE(end) ^ seq) >>> 0, end);
  return nonce;
}

/**
 * The sender's half of a context (RFC 9180, 5.2): one encapsulated key, `limit` messages, after which it wipes itself. A
 * number is used up before anything is encrypted under it, so that no failure brings a nonce back. Owns `keys`. Throws
 * RangeError for a limit that is not 1 to {@link MAX_SEQUENCE}.
 */
export function createHpkeSender(enc: Buffer, { key, baseNonce }: HpkeKeys, limit: number) {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_SEQUENCE)
    throw new RangeError(`A context sends 1 to ${MAX_SEQUENCE} messages`);
  let next = 0;

  function wipe(): void {
    next = limit;
    key.fill(0);
    baseNonce.fill(0);
  }

  return {
    enc,
    /** True when it will seal no more: its messages are used up or its key is wiped. */
    get isSpent(): boolean {
      return next >= limit;
    },
    /** Seals under the next sequence number. Throws RangeError when the context is spent. */
    seal(aad: Uint8Array, plaintext: Uint8Array): HpkeMessage {
      if (next >= limit) throw new RangeError('This context sends no more messages');
      const seq = next;
      next += 1;
      const ciphertext = encryptGcm(key, nonceOf(baseNonce, seq), aad, plaintext);
      if (next === limit) wipe();
      return { seq, ciphertext };
    },
    /** Zeroes the key. The context is spent from then on. */
    wipe,
  };
}

export type HpkeSender = ReturnType<typeof createHpkeSender>;

const KDF_ID = 0x0001;
const MODE_BASE = 0x00;
const MODE_PSK = 0x01;

/** Numbers of RFC 9180, 7.3. We seal with AES-256-GCM; the RFC prints vectors of this KEM for AES-128-GCM. */
export const AES_128_GCM = { id: 0x0001, keyBytes: 16 } as const;
export const AES_256_GCM = { id: 0x0002, keyBytes: 32 } as const;
type HpkeAead = typeof AES_128_GCM | typeof AES_256_GCM;

/** A key that both sides have beforehand: it authenticates the sender. */
interface HpkePsk {
  /** At least 32 bytes of entropy (RFC 9180, 9.5). */
  readonly psk: Buffer;
  readonly pskId: Buffer;
}

/** Where a message comes from: the encapsulated key of its context, and its place among the context's messages. */
export interface HpkeOrigin {
  /** 32 bytes. */
  readonly enc: Buffer;
  readonly seq: number;
}

/**
 * Fixes suite, `info` and pre-shared key; the hashes that depend on nothing else are computed once.
 * Throws RangeError for a pre-shared key under 32 bytes or an empty id.
 */
export function createHpke(options: {
  readonly aead: HpkeAead;
  readonly info: Uint8Array;
  readonly psk: HpkePsk | null;
}) {
  const { aead, info, psk } = options;
  if (psk !== null && psk.psk.length < CLAVE_BYTES) throw new RangeError('A pre-shared key has 32 bytes or more');
  if (psk !== null && psk.pskId.length === 0) throw new RangeError('A pre-shared key has an id');
  const suite = suiteBytes('HPKE', KEM_ID, KDF_ID, aead.id);
  const none = Buffer.alloc(0);
  const context = Buffer.concat([
    Uint8Array.of(psk === null ? MODE_BASE : MODE_PSK),
    labeledExtract(suite, none, 'psk_id_hash', psk?.pskId ?? none),
    labeledExtract(suite, none, 'info_hash', info),
  ]);

  function keysOf(sharedSecret: Buffer): HpkeKeys {
    const secret = labeledExtract(suite, sharedSecret, 'secret', psk?.psk ?? none);
    sharedSecret.fill(0);
    try {
      return {
        key: labeledExpand(suite, secret, 'key', context, aead.keyBytes),
        baseNonce: labeledExpand(suite, secret, 'base_nonce', context, GCM_IV_BYTES),
      };
    } finally {
      secret.fill(0);
    }
  }

  return {
    /**
     * Sets up a sender (RFC 9180, 5.1) that may send `limit` messages. `ephemeral` is fresh unless a test gives a
     * published one. Throws RangeError for a public key that is not usable, and for a limit that is no count of
     * messages.
     */
    sender(recipient: X25519Public, limit: number, ephemeral = generateX25519()): HpkeSender {
      const encapsulated = encapsulate(recipient, ephemeral);
      if (encapsulated === null) throw new RangeError('The public key is not usable');
      return createHpkeSender(encapsulated.enc, keysOf(encapsulated.sharedSecret), limit);
    },
    /** The plaintext of one message, ciphertext ‖ tag (16), which the caller zeroes, or null. Keeps nothing. */
    open(recipient: X25519Private, { enc, seq }: HpkeOrigin, aad: Uint8Array, ciphertext: Uint8Array): Buffer | null {
      const sharedSecret = decapsulate(enc, recipient);
      if (sharedSecret === null) return null;
      const { key, baseNonce } = keysOf(sharedSecret);
      try {
        return decryptGcm(key, nonceOf(baseNonce, seq), aad, ciphertext);
      } finally {
        key.fill(0);
        baseNonce.fill(0);
      }
    },
  };
}

export type Hpke = ReturnType<typeof createHpke>;
