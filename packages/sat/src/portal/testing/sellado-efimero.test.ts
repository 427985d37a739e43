import { describe, expect, it } from 'vitest';
import { createSelladoEfimero } from './sellado-efimero.ts';

describe('seal of a process', () => {
  const contexto = ['acuse/v1/sesion', 'cfdi', 'EKU9003173C9', 'ciec', '1'];
  const claro = Buffer.from('ASP.NET_SessionId=secreto');

  it('opens what it sealed, and never seals twice the same', () => {
    const sellado = createSelladoEfimero();
    const bytes = sellado.seal(claro, contexto);
    expect(sellado.open(bytes, contexto)).toEqual(claro);
    expect(bytes.includes('secreto')).toBe(false);
    expect(sellado.seal(claro, contexto).equals(bytes)).toBe(false);
  });

  it('opens nothing that was changed, cut, sealed for another or by another process', () => {
    const sellado = createSelladoEfimero();
    const bytes = sellado.seal(claro, contexto);
    for (let i = 0; i < bytes.length; i += 1) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(sellado.open(changed, contexto)).toBeNull();
    }
    for (let i = 0; i < contexto.length; i += 1) {
      expect(
        sellado.open(
          bytes,
          contexto.map((each, j) => (i === j ? `${each}x` : each)),
        ),
      ).toBeNull();
    }
    expect(sellado.open(bytes.subarray(0, -1), contexto)).toBeNull();
    expect(sellado.open(Buffer.alloc(3), contexto)).toBeNull();
    expect(createSelladoEfimero().open(bytes, contexto)).toBeNull();
  });
});
