import { decryptGcm, encryptGcm, GCM_IV_BYTES, GCM_TAG_BYTES } from '../crypto/aes-gcm.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { labeledExpand, labeledExtract, suiteBytes } from './hpke-kdf.ts';
import {
  decapsulate,
  encapsulate,
  generateX25519,
  KEM_ID,
  type X25519Private,
  type X25519Public,
} from './hpke-kem.ts';

/**
 * Hybrid public key encryption, RFC 9180: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-GCM, modes base and psk,
 * one message a context. On Node's native X25519; nothing here is a primitive of our own.
 */
const KDF_ID = 0x0001;
const MODE_BASE = 0x00;
const MODE_PSK = 0x01;

/** Numbers of RFC 9180, 7.3. We seal with AES-256-GCM; the RFC prints vectors of this KEM for AES-128-GCM. */
export const AES_128_GCM = { id: 0x0001, keyBytes: 16 } as const;
export const AES_256_GCM = { id: 0x0002, keyBytes: 32 } as const;
export type HpkeAead = typeof AES_128_GCM | typeof AES_256_GCM;

/** A key that both sides have beforehand: it authenticates the sender. */
export interface HpkePsk {
  /** At least 32 bytes of entropy (RFC 9180, 9.5). */
  readonly psk: Buffer;
  readonly pskId: Buffer;
}

export interface HpkeSchedule {
  readonly key: Buffer;
  readonly nonce: Buffer;
  readonly exporterSecret: Buffer;
}

export interface Hpke {
  /** The key schedule alone, for the published vectors. The caller zeroes the result. */
  schedule(sharedSecret: Buffer): HpkeSchedule;
  /** enc (32) ‖ ciphertext ‖ tag (16). `ephemeral` is fresh unless a test gives a published one. */
  seal(recipient: X25519Public, aad: Uint8Array, plaintext: Uint8Array, ephemeral?: X25519Private): Buffer;
  /** The plaintext, which the caller zeroes, or null. */
  open(recipient: X25519Private, aad: Uint8Array, sealed: Buffer): Buffer | null;
}

/**
 * Fixes suite, `info` and pre-shared key; the hashes that depend on nothing else are computed once.
 * Throws RangeError for a pre-shared key under 32 bytes or an empty id.
 */
export function createHpke(options: {
  readonly aead: HpkeAead;
  readonly info: Uint8Array;
  readonly psk: HpkePsk | null;
}): Hpke {
  const { aead, info, psk } = options;
  if (psk !== null && psk.psk.length < CLAVE_BYTES)
    throw new RangeError('A pre-shared key has 32 bytes or more');
  if (psk !== null && psk.pskId.length === 0) throw new RangeError('A pre-shared key has an id');
  const suite = suiteBytes('HPKE', KEM_ID, KDF_ID, aead.id);
  const none = Buffer.alloc(0);
  const context = Buffer.concat([
    Uint8Array.of(psk === null ? MODE_BASE : MODE_PSK),
    labeledExtract(suite, none, 'psk_id_hash', psk?.pskId ?? none),
    labeledExtract(suite, none, 'info_hash', info),
  ]);

  function derive<T>(sharedSecret: Buffer, use: (secret: Buffer) => T): T {
    const secret = labeledExtract(suite, sharedSecret, 'secret', psk?.psk ?? none);
    try {
      return use(secret);
    } finally {
      secret.fill(0);
    }
  }

  /** The nonce of the first and only message is the base nonce (RFC 9180, 5.2). */
  function withKey<T>(sharedSecret: Buffer, use: (key: Buffer, nonce: Buffer) => T): T {
    return derive(sharedSecret, (secret) => {
      const key = labeledExpand(suite, secret, 'key', context, aead.keyBytes);
      const nonce = labeledExpand(suite, secret, 'base_nonce', context, GCM_IV_BYTES);
      try {
        return use(key, nonce);
      } finally {
        key.fill(0);
        sharedSecret.fill(0);
      }
    });
  }

  return {
    schedule: (sharedSecret) =>
      derive(sharedSecret, (secret) => ({
        key: labeledExpand(suite, secret, 'key', context, aead.keyBytes),
        nonce: labeledExpand(suite, secret, 'base_nonce', context, GCM_IV_BYTES),
        exporterSecret: labeledExpand(suite, secret, 'exp', context, CLAVE_BYTES),
      })),
    seal(recipient, aad, plaintext, ephemeral = generateX25519()) {
      const encapsulated = encapsulate(recipient, ephemeral);
      if (encapsulated === null) throw new RangeError('The public key is not usable');
      const { enc, sharedSecret } = encapsulated;
      return withKey(sharedSecret, (key, nonce) =>
        Buffer.concat([enc, encryptGcm(key, nonce, aad, plaintext)]),
      );
    },
    open(recipient, aad, sealed) {
      if (sealed.length < CLAVE_BYTES + GCM_TAG_BYTES) return null;
      const sharedSecret = decapsulate(sealed.subarray(0, CLAVE_BYTES), recipient);
      if (sharedSecret === null) return null;
      return withKey(sharedSecret, (key, nonce) => decryptGcm(key, nonce, aad, sealed.subarray(CLAVE_BYTES)));
    },
  };
}
