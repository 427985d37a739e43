import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decryptGcm } from '../crypto/aes-gcm.ts';
import { createHpkeSender, type HpkeKeys, type HpkeSender, MAX_SEQUENCE, nonceOf } from './hpke.ts';
import { createShortLived } from './sealed-credencial.ts';

const AAD = Buffer.from('aad');
const TEXT = Buffer.from('contenido');
const keysOf = (): HpkeKeys => ({ key: randomBytes(32), baseNonce: randomBytes(12) });

describe('nonceOf', () => {
  it('gives every sequence number of a context a nonce of its own', () => {
    const baseNonce = Buffer.from('0123456789abcdeffedcba98', 'hex');
    const nonces = new Set<string>();
    for (let seq = 0; seq < MAX_SEQUENCE; seq += 1) nonces.add(nonceOf(baseNonce, seq).toString('latin1'));
    expect(nonces.size).toBe(MAX_SEQUENCE);
    expect(nonceOf(baseNonce, 0).equals(baseNonce)).toBe(true);
    expect(nonceOf(baseNonce, 0xffff).toString('hex')).toBe('0123456789abcdeffedc4567');
    expect(baseNonce.toString('hex')).toBe('0123456789abcdeffedcba98');
  });
});

describe('a sender', () => {
  it('numbers its messages and stops at its limit, with its key wiped', () => {
    const keys = keysOf();
    const copy = { key: Buffer.from(keys.key), baseNonce: Buffer.from(keys.baseNonce) };
    const sender = createHpkeSender(Buffer.alloc(32), keys, 3);
    for (let seq = 0; seq < 3; seq += 1) {
      expect(sender.isSpent).toBe(false);
      const message = sender.seal(AAD, TEXT);
      expect(message.seq).toBe(seq);
      const nonce = nonceOf(copy.baseNonce, seq);
      expect(decryptGcm(copy.key, nonce, AAD, message.ciphertext)?.equals(TEXT)).toBe(true);
    }
    expect(sender.isSpent).toBe(true);
    expect(() => sender.seal(AAD, TEXT)).toThrow(RangeError);
    expect([...keys.key, ...keys.baseNonce].every((byte) => byte === 0)).toBe(true);
  });

  it('never seals under a wiped key', () => {
    const keys = keysOf();
    const sender = createHpkeSender(Buffer.alloc(32), keys, 3);
    sender.seal(AAD, TEXT);
    sender.wipe();
    expect(keys.key.equals(Buffer.alloc(32))).toBe(true);
    expect(sender.isSpent).toBe(true);
    expect(() => sender.seal(AAD, TEXT)).toThrow(RangeError);
  });

  it('uses a number up even when the encryption under it fails', () => {
    const sender = createHpkeSender(Buffer.alloc(32), { key: randomBytes(5), baseNonce: randomBytes(12) }, 2);
    expect(() => sender.seal(AAD, TEXT)).toThrow(TypeError);
    expect(() => sender.seal(AAD, TEXT)).toThrow(TypeError);
    expect(() => sender.seal(AAD, TEXT)).toThrow(RangeError);
  });

  it.each([0, -1, 1.5, Number.NaN, MAX_SEQUENCE + 1])('takes no limit of %d messages', (limit) => {
    expect(() => createHpkeSender(Buffer.alloc(32), keysOf(), limit)).toThrow(RangeError);
  });
});

describe('short-lived senders', () => {
  const made: { readonly sender: HpkeSender; readonly key: Buffer }[] = [];
  const make = (limit: number) => {
    const keys = keysOf();
    const sender = createHpkeSender(randomBytes(32), keys, limit);
    made.push({ sender, key: keys.key });
    return sender;
  };
  beforeEach(() => {
    made.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are shared until their messages are used up', () => {
    const senderForNext = createShortLived(make, { messages: 5, ms: 1_000 });
    const seen = new Set<string>();
    for (let count = 0; count < 23; count += 1) {
      const sender = senderForNext();
      seen.add(`${sender.enc.toString('hex')} ${sender.seal(AAD, TEXT).seq}`);
    }
    expect(seen.size).toBe(23);
    expect(made).toHaveLength(5);
    expect(made.slice(0, 4).every(({ key }) => key.equals(Buffer.alloc(32)))).toBe(true);
  });

  it('are wiped when their time is over, used again or not, and no message goes to a wiped one', () => {
    const senderForNext = createShortLived(make, { messages: 5, ms: 1_000 });
    const first = senderForNext();
    first.seal(AAD, TEXT);
    vi.advanceTimersByTime(999);
    expect(senderForNext()).toBe(first);
    vi.advanceTimersByTime(1);
    expect(made[0]?.key.equals(Buffer.alloc(32))).toBe(true);
    expect(senderForNext()).not.toBe(first);
    expect(senderForNext().seal(AAD, TEXT).seq).toBe(0);
  });

  it('leave their successor alone when an old timer goes off', () => {
    const senderForNext = createShortLived(make, { messages: 1, ms: 1_000 });
    senderForNext().seal(AAD, TEXT);
    vi.advanceTimersByTime(500);
    const second = senderForNext();
    vi.advanceTimersByTime(600);
    expect(second.isSpent).toBe(false);
    expect(senderForNext()).toBe(second);
  });
});
