import { describe, expect, it } from 'vitest';
import { generateApiKey } from './api-key.ts';
import { apiKeyPattern, redactApiKeys } from './redaction.ts';

describe('redactApiKeys', () => {
  it('leaves the id and nothing of the secret, wherever and however often a key stands', () => {
    for (let count = 0; count < 200; count += 1) {
      const { keyId, text } = generateApiKey(count % 2 === 0 ? 'live' : 'test');
      const secretText = text.slice(24);
      const redacted = redactApiKeys(`{"authorization":"Bearer ${text}","url":"/x?k=${text}&y=1"}`);
      expect(redacted).not.toContain(secretText.slice(1, 9));
      expect(redacted.split(`${keyId}_[REDACTED]`)).toHaveLength(3);
      expect(redacted).toContain('&y=1');
    }
  });

  it('redacts keys that were cut off, at either length', () => {
    const { text } = generateApiKey('live');
    for (let length = 25; length < text.length; length += 1) {
      expect(redactApiKeys(text.slice(0, length))).toBe(`${text.slice(0, 23)}_[REDACTED]`);
    }
    expect(redactApiKeys(text.slice(0, 23))).toBe(text.slice(0, 23));
  });

  it('leaves other texts alone', () => {
    for (const other of ['acuse', 'acuse_prod_x', 'un acuse de recibo', '']) {
      expect(redactApiKeys(other)).toBe(other);
    }
  });

  it('gives loggers a pattern of their own', () => {
    const pattern = apiKeyPattern();
    expect(pattern.test(generateApiKey('live').text)).toBe(true);
    expect(pattern.lastIndex).toBeGreaterThan(0);
    expect(apiKeyPattern().lastIndex).toBe(0);
  });
});
