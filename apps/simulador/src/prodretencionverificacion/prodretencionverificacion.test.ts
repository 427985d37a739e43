import { load } from 'cheerio';
import { expect, it } from 'vitest';
import { startForTests } from '../testing/start-for-tests.ts';
import { parseWallTime } from '../world/wall-time.ts';

const RFC = 'EKU9003173C9';

const simulador = await startForTests({ settings: { filas_69b: 200 } });

const rowsOf = (rfc: string, tipo: 'emitidos' | 'recibidos') => [
  ...simulador.world.taxpayers.rows(rfc, tipo, parseWallTime('2026-01-01') ?? 0, parseWallTime('2026-06-30') ?? 0, {
    documento: 'retenciones',
  }),
];

async function ask(folio: string, rfcEmisor: string, rfcReceptor: string) {
  const query = new URLSearchParams({ folio, rfcEmisor, rfcReceptor, _: String(Date.now()) });
  const response = await fetch(`${simulador.url}/prodretencionverificacion/Home/ConsultaRetencion?${query}`);
  const $ = load(await response.text());
  const texts = (selector: string) => Array.from($(selector), (cell) => $(cell).text().trim());
  const headings = texts('#tbl_resultado th');
  const values = texts('#tbl_resultado td');
  return {
    status: response.status,
    values: Object.fromEntries(headings.map((heading, i) => [heading, values[i]])),
    cancelacion: $('td#tdFechaCancelacion').text().trim(),
    efos: $('#efosEstatus').attr('value'),
    isAbsent: $('.noresultados').length > 0,
  };
}

it('has cancelled ones to show', () => {
  expect(rowsOf(RFC, 'emitidos').some(({ estatus }) => estatus === 'Cancelado')).toBe(true);
});

it.each(['emitidos', 'recibidos'] as const)('shows each of the %s', async (tipo) => {
  for (const row of rowsOf(RFC, tipo)) {
    const { values, efos, isAbsent, cancelacion } = await ask(row.uuid, row.rfcEmisor, row.rfcReceptor);
    expect(isAbsent).toBe(false);
    expect(efos).toBe('200');
    expect(cancelacion).toBe(row.fechaCancelacion.replace(' ', 'T'));
    expect(values).toMatchObject({
      'RFC del Emisor': row.rfcEmisor,
      'RFC del Receptor': row.rfcReceptor,
      'Folio Fiscal': row.uuid,
      'Fecha de Expedición': row.fechaEmision.replace(' ', 'T'),
      'Estado CFDI Retención': row.estatus,
    });
    expect(Number(values['Total del CFDI Retención']?.replace(/[$,]/g, ''))).toBe(Number(row.monto));
  }
});

it('says that a document is not registered when one of the three does not fit', async () => {
  const [row] = rowsOf(RFC, 'recibidos');
  if (!row) throw new Error('no row');
  for (const [folio, emisor, receptor] of [
    ['00000000-0000-4000-8000-000000000000', row.rfcEmisor, row.rfcReceptor],
    [row.uuid, 'XIQB891116QE4', row.rfcReceptor],
    [row.uuid, row.rfcEmisor, 'XIQB891116QE4'],
    [row.uuid, '', ''],
  ] as const) {
    const { status, isAbsent, values } = await ask(folio, emisor, receptor);
    expect([status, isAbsent, values]).toEqual([200, true, {}]);
  }
});

it('tells that the issuer is listed', async () => {
  const [row] = rowsOf('DEF900215SI6', 'emitidos');
  expect(row && (await ask(row.uuid, row.rfcEmisor, row.rfcReceptor)).efos).toBe('100');
});

it('obeys magic RFCs', async () => {
  expect((await ask('00000000-0000-4000-8000-000000000000', 'CAI900215SIA', RFC)).status).toBe(503);
});
