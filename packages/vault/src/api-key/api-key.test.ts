import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BASE62, checksum, generateApiKey, lastFourOfApiKey, parseApiKey, wipeApiKey } from './api-key.ts';

const ALPHABET = `${BASE62}-_`;

function withChecksum(body: string): string {
  return body + checksum(body);
}

describe('API key', () => {
  it.each(['test', 'live'] as const)('makes %s keys that parse to the same parts', (modo) => {
    for (let count = 0; count < 500; count += 1) {
      const made = generateApiKey(modo);
      expect(made.text).toMatch(/^acuse_(test|live)_[0-9A-Za-z]{12}_[\w-]{43}[0-9A-Za-z]{6}$/);
      const parsed = parseApiKey(made.text);
      expect(parsed).toEqual({ modo, keyId: made.keyId, secret: made.secret });
      expect(made.secret).toHaveLength(32);
    }
  });

  it('makes no two equal ids or secrets', () => {
    const keys = Array.from({ length: 2_000 }, () => generateApiKey('live'));
    expect(new Set(keys.map((key) => key.keyId)).size).toBe(keys.length);
    expect(new Set(keys.map((key) => key.secret.toString('hex'))).size).toBe(keys.length);
  });

  it('has the CRC-32 of the standard check string as checksum', () => {
    // CRC-32("123456789") is cbf43926 (the check value of the ISO-HDLC CRC), 3421780262 in base 62.
    let value = 0;
    for (const digit of checksum('123456789')) value = value * 62 + BASE62.indexOf(digit);
    expect(value).toBe(0xcbf43926);
  });

  it('finds every single wrong character and every swap of neighbours', () => {
    const { text } = generateApiKey('live');
    for (let position = 0; position < text.length; position += 1) {
      for (const letter of ALPHABET) {
        if (letter === text[position]) continue;
        expect(parseApiKey(text.slice(0, position) + letter + text.slice(position + 1))).toBeNull();
      }
      const [left, right] = [text[position], text[position + 1]];
      if (right === undefined || left === right) continue;
      expect(parseApiKey(text.slice(0, position) + right + left + text.slice(position + 2))).toBeNull();
    }
  });

  it('refuses every other text', () => {
    const { text } = generateApiKey('live');
    for (const wrong of ['', ' ', `${text} `, ` ${text}`, `${text}\n`, text.toUpperCase(), text.slice(1)]) {
      expect(parseApiKey(wrong)).toBeNull();
    }
    fc.assert(fc.property(fc.string({ maxLength: 100 }), (any) => parseApiKey(any) === null));
  });

  it('refuses wrong grammar even when the checksum is right', () => {
    const [id, secret] = ['A'.repeat(12), 'A'.repeat(43)];
    expect(parseApiKey(withChecksum(`acuse_live_${id}_${secret}`))).not.toBeNull();
    // The last character of 43 holds 4 bits; a B there decodes to the same bytes as an A.
    expect(parseApiKey(withChecksum(`acuse_live_${id}_${'A'.repeat(42)}B`))).toBeNull();
    expect(parseApiKey(withChecksum(`acuse_prod_${id}_${secret}`))).toBeNull();
    expect(parseApiKey(withChecksum(`acuse_live_${'A'.repeat(11)}-_${secret}`))).toBeNull();
    expect(parseApiKey(withChecksum(`acuse_live_${id}-${secret}`))).toBeNull();
    expect(parseApiKey(withChecksum(`acuse_live_${id}_${'A'.repeat(41)}+A`))).toBeNull();
  });

  it('wipes its secret and shows four characters that are not of it', () => {
    const made = generateApiKey('test');
    wipeApiKey(made);
    expect(made.secret.equals(Buffer.alloc(32))).toBe(true);
    expect(lastFourOfApiKey(made.text)).toBe(checksum(made.text.slice(0, -6)).slice(-4));
  });
});
