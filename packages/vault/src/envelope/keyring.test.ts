import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyring, createSellado, KeyringExhausted, kidOf, MAX_ENCRYPTIONS_PER_KID } from './keyring.ts';

const AAD = Buffer.from('fila');
const old = randomBytes(32);
const keys = new Map([
  ['2026-01', old],
  ['2026-02', randomBytes(32)],
]);

describe('keyring', () => {
  const keyring = createKeyring({ keys, current: '2026-02' });

  it('wraps under the current key and unwraps under any', () => {
    const before = createKeyring({ keys, current: '2026-01' }).wrap(Buffer.from('x'), AAD);
    expect(kidOf(before)).toBe('2026-01');
    expect(keyring.unwrap(before, AAD)?.toString()).toBe('x');
    const now = keyring.wrap(Buffer.from('x'), AAD);
    expect(kidOf(now)).toBe('2026-02');
    expect(keyring.unwrap(now, AAD)?.toString()).toBe('x');
  });

  it('does not open under a removed kid, another AAD, or a kid rewritten in the bytes', () => {
    const wrapped = keyring.wrap(Buffer.from('x'), AAD);
    const without = createKeyring({ keys: new Map([['2026-01', old]]), current: '2026-01' });
    expect(without.unwrap(wrapped, AAD)).toBeNull();
    expect(keyring.unwrap(wrapped, Buffer.from('otra'))).toBeNull();
    const rewritten = Buffer.from(wrapped);
    rewritten.write('2026-01', 1, 'latin1');
    expect(kidOf(rewritten)).toBe('2026-01');
    expect(keyring.unwrap(rewritten, AAD)).toBeNull();
  });

  it('binds the name of the key, even when two names had the same bytes at different times', () => {
    const renamed = createKeyring({ keys: new Map([['2026-09', old]]), current: '2026-09' });
    const wrapped = createKeyring({ keys, current: '2026-01' }).wrap(Buffer.from('x'), AAD);
    wrapped.write('2026-09', 1, 'latin1');
    expect(renamed.unwrap(wrapped, AAD)).toBeNull();
  });

  it('counts encryptions and stops at the limit', () => {
    const limited = createKeyring({ keys, current: '2026-02', maxEncryptions: 3 });
    const wrapped = [1, 2, 3].map(() => limited.wrap(Buffer.from('x'), AAD));
    expect(() => limited.wrap(Buffer.from('x'), AAD)).toThrow(KeyringExhausted);
    expect(limited.unwrap(wrapped[0] ?? Buffer.alloc(0), AAD)?.toString()).toBe('x');
    expect(MAX_ENCRYPTIONS_PER_KID).toBeLessThanOrEqual(2 ** 32 / 16);
  });

  it.each([
    ['an unknown current key', { keys, current: '2026-03' }],
    ['a short key', { keys: new Map([['a', randomBytes(31)]]), current: 'a' }],
    ['a long key', { keys: new Map([['a', randomBytes(33)]]), current: 'a' }],
    ['a kid with a blank', { keys: new Map([['a b', randomBytes(32)]]), current: 'a b' }],
    ['an empty kid', { keys: new Map([['', randomBytes(32)]]), current: '' }],
    ['a kid of 33 characters', { keys: new Map([['a'.repeat(33), old]]), current: 'a'.repeat(33) }],
    [
      'one key under two kids',
      {
        keys: new Map([
          ['a', old],
          ['b', Buffer.from(old)],
        ]),
        current: 'a',
      },
    ],
  ])('refuses %s', (_, options) => {
    expect(() => createKeyring(options)).toThrow(RangeError);
  });

  it('reads no kid from bytes that are no wrap', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(28), Buffer.alloc(40), Buffer.alloc(300, 0xff)]) {
      expect(kidOf(bytes)).toBeNull();
      expect(keyring.unwrap(bytes, AAD)).toBeNull();
    }
  });
});

describe('seal of an installation', () => {
  const create = () => createSellado(createKeyring({ keys, current: '2026-01' }));
  const sellado = create();
  const contexto = ['acuse/v1/sesion', 'cfdi', 'EKU9003173C9', 'ciec', 'id-1'];
  const claro = Buffer.from('cookie=secreta');

  it('opens in another process with the same key, before and after a rotation', () => {
    const bytes = sellado.seal(claro, contexto);
    expect(bytes.includes('secreta')).toBe(false);
    expect(create().open(bytes, contexto)).toEqual(claro);
    expect(createSellado(createKeyring({ keys, current: '2026-02' })).open(bytes, contexto)).toEqual(claro);
    const other = createKeyring({ keys: new Map([['2026-02', randomBytes(32)]]), current: '2026-02' });
    expect(createSellado(other).open(bytes, contexto)).toBeNull();
  });

  it('opens under no other context, however it is cut into fields', () => {
    const bytes = sellado.seal(claro, contexto);
    for (const ajeno of [
      contexto.with(2, 'AAA010101AAA'),
      contexto.with(1, 'loginda'),
      contexto.with(3, 'efirma'),
      contexto.with(4, 'id-2'),
      ['acuse/v1/sesion', 'cf', 'diEKU9003173C9', 'ciec', 'id-1'],
      contexto.slice(0, 4),
    ]) {
      expect(sellado.open(bytes, ajeno)).toBeNull();
    }
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    expect(sellado.open(bytes, contexto)).toBeNull();
    expect(sellado.open(Buffer.from('roto'), contexto)).toBeNull();
  });
});
