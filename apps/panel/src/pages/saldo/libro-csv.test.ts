import type { MovimientoVista } from '@acuse/db';
import { streamCsv, textCell } from '@acuse/page/csv';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLUMNAS } from './libro-csv.ts';

const fila = (change: Partial<MovimientoVista> = {}): MovimientoVista => ({
  id: '1',
  creadoEn: new Date('2026-11-21T05:59:27.123Z'),
  tipo: 'reembolso',
  importe: 1,
  saldo: 10,
  operacion: 'tax/facturas',
  rfc: 'ACU200101DB1',
  opId: '00000000-0000-0000-0000-000000000001',
  solicitudId: null,
  pagoId: null,
  detalle: null,
  ...change,
});

async function* lotsOf(...lots: (readonly MovimientoVista[])[]) {
  for (const lot of lots) yield lot;
}
const textOf = (...lots: (readonly MovimientoVista[])[]) =>
  new Response(streamCsv(COLUMNAS, lotsOf(...lots), { withBom: false })).text();

describe('the ledger as CSV', () => {
  it('has a head, lines that end as RFC 4180 says, and signed numbers', async () => {
    const cargo = fila({ tipo: 'cargo', importe: -1, saldo: 9 });
    const text = await textOf([cargo], [fila()]);
    expect(text).toBe(
      [
        'fecha,tipo,operacion,rfc,creditos,saldo,llamada,solicitud,pago,detalle',
        '2026-11-20T23:59:27.123-06:00,cargo,tax/facturas,ACU200101DB1,-1,9,00000000-0000-0000-0000-000000000001,,,',
        '2026-11-20T23:59:27.123-06:00,reembolso,tax/facturas,ACU200101DB1,1,10,00000000-0000-0000-0000-000000000001,,,',
        '',
      ].join('\r\n'),
    );
  });

  it('is a head alone for an empty ledger', async () => {
    expect((await textOf()).split('\r\n')).toHaveLength(2);
  });

  it('comes back as it was through a parser, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), async (details) => {
        const text = await textOf(details.map((detalle) => fila({ detalle })));
        const rows: { detalle: string }[] = parse(text, { columns: true, record_delimiter: '\r\n' });
        const plain = rows.map(({ detalle }, at) => (detalle === `'${details[at]}` ? detalle.slice(1) : detalle));
        expect(plain).toEqual(details);
      }),
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '＝1', '"=1"'])(
    'makes no formula of %j',
    (text) => {
      const [[cell = ''] = []]: string[][] = parse(`${textCell(text)}\r\n`, { record_delimiter: '\r\n' });
      expect(cell).toMatch(/^['"]/);
      expect(cell.endsWith(text)).toBe(true);
    },
  );

  it('ends a transfer that fails as a failure, and stops reading for a reader who left', async () => {
    async function* broken() {
      yield [fila()];
      throw new Error('the database went away');
    }
    await expect(new Response(streamCsv(COLUMNAS, broken(), { withBom: false })).text()).rejects.toThrow('went away');
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) yield [fila()];
      } finally {
        isClosed = true;
      }
    }
    const reader = streamCsv(COLUMNAS, endless(), { withBom: false }).getReader();
    await reader.read();
    await reader.read();
    await reader.cancel();
    expect(isClosed).toBe(true);
  });
});
