import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { generateApiKey, parseApiKey, wipeApiKey } from './api-key.ts';
import { createApiKeyHasher, registroOf } from './api-key-hasher.ts';

it('keeps what verifies the key after its secret is wiped, and nothing that gives it back', () => {
  const hasher = createApiKeyHasher({ peppers: new Map([[3, randomBytes(32)]]), current: 3 });
  const key = generateApiKey('live');
  const secret = Buffer.from(key.secret);
  const registro = registroOf(hasher, key);
  wipeApiKey(key);
  expect(registro).toEqual({
    ...{ id: key.keyId, modo: 'live', pepperVersion: 3, ultimos4: key.text.slice(-4) },
    hash: expect.any(Buffer),
  });
  const parsed = parseApiKey(key.text);
  expect(parsed && hasher.verifyApiKey(parsed, registro)).toBe(true);
  expect(registro.hash.equals(secret)).toBe(false);
  const other = parseApiKey(generateApiKey('live').text);
  expect(other && hasher.verifyApiKey(other, registro)).toBe(false);
});
