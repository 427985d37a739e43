import { hrefWith } from '@acuse/page/form';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCursor, parseCursor, readFilter, toFiltroMovimientos } from './filtro.ts';

const read = (query: string) => readFilter(new URLSearchParams(query));

describe('filters of the ledger', () => {
  it('are read from an address', () => {
    const { filtro, faltas } = read(
      'desde=2026-01-01&hasta=2026-01-31&rfc=%20acu200101db1&operacion=tax/facturas&tipo=cargo',
    );
    expect(faltas).toEqual({});
    expect(filtro).toEqual({
      desde: '2026-01-01',
      hasta: '2026-01-31',
      rfc: 'ACU200101DB1',
      operacion: 'tax/facturas',
      tipo: 'cargo',
    });
    expect(toFiltroMovimientos(filtro)).toMatchObject({
      desde: new Date('2026-01-01T06:00:00Z'),
      hasta: new Date('2026-02-01T06:00:00Z'),
    });
  });

  it('that cannot be read are left out; those that a person typed are named', () => {
    const { filtro, faltas } = read("desde=ayer&hasta=2026-02-30&rfc=nada&operacion=';--&tipo=otro");
    expect(filtro).toEqual({});
    expect(Object.keys(faltas)).toEqual(['desde', 'hasta', 'rfc']);
    expect(read('desde=2026-02-01&hasta=2026-01-31')).toMatchObject({
      filtro: { desde: '2026-02-01' },
      faltas: { hasta: expect.stringContaining('anterior') },
    });
  });

  it('go into addresses and come back', () => {
    const { filtro } = read('desde=2026-01-01&rfc=Ñ%26A200101AB1');
    const href = hrefWith('/saldo/movimientos', { ...filtro, antes: '5-1' });
    expect(read(href.split('?')[1] ?? '').filtro).toEqual(filtro);
  });
});

describe('a place in the ledger', () => {
  it('goes into an address and comes back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4_102_444_800_000 }),
        fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }),
        (ms, id) => {
          const cursor = { creadoEn: new Date(ms), id: String(id) };
          expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
        },
      ),
    );
  });

  it.each([null, '', 'x', '1', '1-', '-1', '1-2-3', '1-x', '1-1234567890123456789', "1-1'"])('is not %j', (texto) => {
    expect(parseCursor(texto)).toBeNull();
  });
});
