import { decryptGcm, GCM_IV_BYTES } from '../crypto/aes-gcm.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { labeledExpand, labeledExtract, suiteBytes } from './hpke-kdf.ts';
import { decapsulate, encapsulate, generateX25519, KEM_ID, type X25519Private, type X25519Public } from './hpke-kem.ts';
import { createHpkeSender, type HpkeKeys, type HpkeSender, nonceOf } from './hpke-sender.ts';

/**
 * Hybrid public key encryption, RFC 9180: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-GCM, modes base and psk. On
 * Node's native X25519; nothing here is a primitive of our own.
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

interface HpkeSchedule {
  readonly key: Buffer;
  readonly nonce: Buffer;
  readonly exporterSecret: Buffer;
}

/** Where a message comes from: the encapsulated key of its context, and its place among the context's messages. */
export interface HpkeOrigin {
  /** 32 bytes. */
  readonly enc: Buffer;
  readonly seq: number;
}

export interface Hpke {
  /** The key schedule alone, for the published vectors. The caller zeroes the result. */
  schedule(sharedSecret: Buffer): HpkeSchedule;
  /**
   * Sets up a sender (RFC 9180, 5.1) that may send `limit` messages. `ephemeral` is fresh unless a test gives a
   * published one. Throws RangeError for a public key that is not usable, and for a limit that is no count of messages.
   */
  sender(recipient: X25519Public, limit: number, ephemeral?: X25519Private): HpkeSender;
  /**
   * The plaintext of one message, ciphertext ‖ tag (16), which the caller zeroes, or null. Keeps nothing between
   * messages.
   */
  open(recipient: X25519Private, origin: HpkeOrigin, aad: Uint8Array, ciphertext: Uint8Array): Buffer | null;
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
  if (psk !== null && psk.psk.length < CLAVE_BYTES) throw new RangeError('A pre-shared key has 32 bytes or more');
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

  function keysOf(sharedSecret: Buffer): HpkeKeys {
    return derive(sharedSecret, (secret) => {
      sharedSecret.fill(0);
      return {
        key: labeledExpand(suite, secret, 'key', context, aead.keyBytes),
        baseNonce: labeledExpand(suite, secret, 'base_nonce', context, GCM_IV_BYTES),
      };
    });
  }

  return {
    schedule: (sharedSecret) =>
      derive(sharedSecret, (secret) => ({
        key: labeledExpand(suite, secret, 'key', context, aead.keyBytes),
        nonce: labeledExpand(suite, secret, 'base_nonce', context, GCM_IV_BYTES),
        exporterSecret: labeledExpand(suite, secret, 'exp', context, CLAVE_BYTES),
      })),
    sender(recipient, limit, ephemeral = generateX25519()) {
      const encapsulated = encapsulate(recipient, ephemeral);
      if (encapsulated === null) throw new RangeError('The public key is not usable');
      return createHpkeSender(encapsulated.enc, keysOf(encapsulated.sharedSecret), limit);
    },
    open(recipient, { enc, seq }, aad, ciphertext) {
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
