import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyring, createSellado } from './keyring.ts';

const una = randomBytes(32);
const otra = randomBytes(32);
const de = (keys: [string, Buffer][]) =>
  createSellado(createKeyring({ keys: new Map(keys), current: keys[0]?.[0] ?? '' }));
const contexto = ['acuse/v1/sesion', 'cfdi', 'EKU9003173C9', 'ciec', 'id-1'];
const claro = Buffer.from('cookie=secreta');

describe('seal of an installation', () => {
  it('opens in another process with the same key, before and after a rotation', () => {
    const bytes = de([['k1', una]]).seal(claro, contexto);
    expect(bytes.includes('secreta')).toBe(false);
    expect(de([['k1', una]]).open(bytes, contexto)).toEqual(claro);
    const rotated = de([
      ['k2', otra],
      ['k1', una],
    ]);
    expect(rotated.open(bytes, contexto)).toEqual(claro);
    expect(de([['k2', otra]]).open(bytes, contexto)).toBeNull();
  });

  it('opens under no other context, however it is cut into fields', () => {
    const sellado = de([['k1', una]]);
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
