import { encryptGcm } from '../crypto/aes-gcm.ts';

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

/** The sender's half of an HPKE context (RFC 9180, 5.2): one encapsulated key, many messages. */
export interface HpkeSender {
  readonly enc: Buffer;
  /** True when it will seal no more: its messages are used up or its key is wiped. */
  readonly isSpent: boolean;
  /** Seals under the next sequence number. Throws RangeError when the context is spent. */
  seal(aad: Uint8Array, plaintext: Uint8Array): HpkeMessage;
  /** Zeroes the key. The context is spent from then on. */
  wipe(): void;
}

/** ComputeNonce of RFC 9180, 5.2: the base nonce with the sequence number, big endian, XORed into its end. */
export function nonceOf(baseNonce: Buffer, seq: number): Buffer {
  const nonce = Buffer.from(baseNonce);
  const end = nonce.length - 4;
  nonce.writeUInt32BE((nonce.readUInt32BE(end) ^ seq) >>> 0, end);
  return nonce;
}

/**
 * A context that sends `limit` messages and then wipes itself. A number is used up before anything is encrypted under
 * it, so that no failure brings a nonce back. Owns `keys`. Throws RangeError for a limit that is not 1 to {@link
 * MAX_SEQUENCE}.
 */
export function createHpkeSender(enc: Buffer, { key, baseNonce }: HpkeKeys, limit: number): HpkeSender {
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
    get isSpent() {
      return next >= limit;
    },
    seal(aad, plaintext) {
      if (next >= limit) throw new RangeError('This context sends no more messages');
      const seq = next;
      next += 1;
      const ciphertext = encryptGcm(key, nonceOf(baseNonce, seq), aad, plaintext);
      if (next === limit) wipe();
      return { seq, ciphertext };
    },
    wipe,
  };
}
