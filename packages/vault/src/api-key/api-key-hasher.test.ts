import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ApiKey, generateApiKey, parseApiKey, wipeApiKey } from './api-key.ts';
import { createApiKeyHasher, registroOf } from './api-key-hasher.ts';

const peppers = new Map([
  [1, randomBytes(32)],
  [2, randomBytes(32)],
]);

describe('API key hasher', () => {
  const hasher = createApiKeyHasher({ peppers, current: 2 });

  it('verifies the key that was hashed and no other', () => {
    const key = generateApiKey('live');
    const stored = hasher.hashApiKey(key);
    expect(stored).toMatchObject({ pepperVersion: 2 });
    expect(stored.hash).toHaveLength(32);
    expect(hasher.verifyApiKey(key, stored)).toBe(true);
    expect(hasher.verifyApiKey(generateApiKey('live'), stored)).toBe(false);
    for (let bit = 0; bit < 256; bit += 1) {
      const secret = Buffer.from(key.secret);
      secret[bit >> 3] = (secret[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(hasher.verifyApiKey({ ...key, secret }, stored)).toBe(false);
    }
  });

  it('binds the id and the mode: a hash copied to another row, or a test key called live, is refused', () => {
    const key = generateApiKey('test');
    const stored = hasher.hashApiKey(key);
    const asLive: ApiKey = { ...key, modo: 'live' };
    const otherId: ApiKey = { ...key, keyId: generateApiKey('test').keyId };
    expect(hasher.verifyApiKey(asLive, stored)).toBe(false);
    expect(hasher.verifyApiKey(otherId, stored)).toBe(false);
  });

  it('answers false for an unknown id, a retired pepper and a stored hash of another length', () => {
    const key = generateApiKey('live');
    const stored = hasher.hashApiKey(key);
    expect(hasher.verifyApiKey(key, null)).toBe(false);
    expect(hasher.verifyApiKey(key, { ...stored, pepperVersion: 9 })).toBe(false);
    expect(hasher.verifyApiKey(key, { ...stored, hash: stored.hash.subarray(0, 31) })).toBe(false);
    expect(hasher.verifyApiKey(key, { ...stored, hash: Buffer.alloc(0) })).toBe(false);
  });

  it('keeps hashes of an older pepper valid and says that they are stale', () => {
    const key = generateApiKey('live');
    const stored = createApiKeyHasher({ peppers, current: 1 }).hashApiKey(key);
    expect(hasher.verifyApiKey(key, stored)).toBe(true);
    expect(hasher.isStale(stored)).toBe(true);
    expect(hasher.isStale(hasher.hashApiKey(key))).toBe(false);
    // A process that still writes with the older pepper leaves alone what another has moved to the newer one.
    expect(createApiKeyHasher({ peppers, current: 1 }).isStale(hasher.hashApiKey(key))).toBe(false);
  });

  it('depends on the pepper, and is not a plain hash of the key', () => {
    const key = generateApiKey('live');
    const other = createApiKeyHasher({ peppers: new Map([[2, randomBytes(32)]]), current: 2 });
    const { hash } = hasher.hashApiKey(key);
    expect(other.hashApiKey(key).hash).not.toEqual(hash);
    for (const plain of [key.secret, key.text]) {
      expect(createHash('sha256').update(plain).digest().equals(hash)).toBe(false);
    }
  });

  it('keeps what verifies the key after its secret is wiped, and nothing that gives it back', () => {
    const key = generateApiKey('live');
    const secret = Buffer.from(key.secret);
    const registro = registroOf(hasher, key);
    wipeApiKey(key);
    const { keyId: id, modo, text } = key;
    expect(registro).toEqual({ id, modo, pepperVersion: 2, ultimos4: text.slice(-4), hash: expect.any(Buffer) });
    const parsed = parseApiKey(text);
    expect(parsed && hasher.verifyApiKey(parsed, registro)).toBe(true);
    expect(registro.hash.equals(secret)).toBe(false);
  });

  it('refuses a pepper of another length and a current version that is missing', () => {
    expect(() => createApiKeyHasher({ peppers: new Map([[1, randomBytes(31)]]), current: 1 })).toThrow(RangeError);
    expect(() => createApiKeyHasher({ peppers, current: 3 })).toThrow(RangeError);
  });
});
