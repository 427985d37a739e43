import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePrecios } from '../../../../packages/settings/src/pagos.ts';
import { createCatalogo, formatPesos } from './catalogo.ts';

describe('prices in the settings', () => {
  it('are credits and pesos', () => {
    expect(parsePrecios('100:99, 1000:890.5 ,5:0.05')).toEqual([
      { creditos: 100, centavos: 9_900 },
      { creditos: 1_000, centavos: 89_050 },
      { creditos: 5, centavos: 5 },
    ]);
  });

  it.each(['', '100', '100:', ':99', '100:9.999', '0:10', '-5:10', '100:1,100:2', '100:1,', '1e3:5', '20000000:1'])(
    'refuses %j',
    (texto) => {
      expect(parsePrecios(texto)).toBeNull();
    },
  );
});

describe('the catalogue', () => {
  it('adds the IVA, halves of a centavo up, and sorts by credits', () => {
    const precios = [
      { creditos: 500, centavos: 45_055 },
      { creditos: 1, centavos: 3 },
      { creditos: 10, centavos: 1_250 },
    ];
    expect(createCatalogo(precios, 16).paquetes).toEqual([
      { creditos: 1, subtotal: 3, iva: 0, total: 3 },
      { creditos: 10, subtotal: 1_250, iva: 200, total: 1_450 },
      { creditos: 500, subtotal: 45_055, iva: 7_209, total: 52_264 },
    ]);
    expect(createCatalogo([{ creditos: 1, centavos: 50 }], 1).paquetes[0]?.iva).toBe(1);
    expect(createCatalogo([{ creditos: 1, centavos: 49 }], 1).paquetes[0]?.iva).toBe(0);
  });

  it('is never more than half a centavo from the exact tax', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), fc.integer({ min: 0, max: 10_000 }), (centavos, bp) => {
        const [paquete] = createCatalogo([{ creditos: 1, centavos }], bp / 100).paquetes;
        const exact = BigInt(centavos) * BigInt(bp);
        const off = BigInt(paquete?.iva ?? 0) * 10_000n - exact;
        expect(off <= 5_000n && off > -5_000n).toBe(true);
      }),
    );
  });

  it('shows amounts as pesos', () => {
    expect(formatPesos(103_240)).toBe('$1,032.40 MXN');
  });
});
