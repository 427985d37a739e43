import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeClave32 } from './clave-32.ts';

describe('decodeClave32', () => {
  it('reads the base64 of 32 bytes', () => {
    for (let count = 0; count < 200; count += 1) {
      const clave = randomBytes(32);
      expect(decodeClave32(clave.toString('base64')).equals(clave)).toBe(true);
    }
  });

  it.each([
    ['', 'empty'],
    [randomBytes(31).toString('base64'), '31 bytes'],
    [randomBytes(33).toString('base64'), '33 bytes'],
    [randomBytes(32).toString('hex'), 'hex'],
    [`${Buffer.alloc(32).toString('base64')}\n`, 'a line feed after it'],
    [`${'A'.repeat(42)}B=`, 'bits that decode to nothing'],
  ])('refuses %j: %s', (text) => {
    expect(() => decodeClave32(text)).toThrow(RangeError);
  });
});
