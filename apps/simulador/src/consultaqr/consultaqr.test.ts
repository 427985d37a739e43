import { describe, expect, it } from 'vitest';
import { startForTests } from '../testing/start-for-tests.ts';
import type { Row } from '../world/taxpayers/row.ts';
import { parseWallTime } from '../world/wall-time.ts';
import { readExpression, totalForms } from './consultaqr.ts';

const RFC = 'EKU9003173C9';
const ACTION = 'http://tempuri.org/IConsultaCFDIService/Consulta';

const simulador = await startForTests({ settings: { filas_69b: 300 } });

const encode = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

async function ask(expression: string, { action = ACTION, isCdata = false } = {}) {
  const inner = isCdata ? `<![CDATA[${expression}]]>` : encode(expression);
  const response = await fetch(`${simulador.url}/consultaqr/ConsultaCFDIService.svc`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml; charset="utf-8"', soapaction: action },
    body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Consulta xmlns="http://tempuri.org/"><expresionImpresa>${inner}</expresionImpresa></Consulta></s:Body></s:Envelope>`,
  });
  const text = await response.text();
  const field = (name: string) => new RegExp(`<a:${name}>([^<]*)<`).exec(text)?.[1] ?? '';
  const names = ['CodigoEstatus', 'Estado', 'EsCancelable', 'EstatusCancelacion', 'ValidacionEFOS'];
  return { status: response.status, text, ...Object.fromEntries(names.map((name) => [name, field(name)])) } as Record<
    string,
    string | number
  >;
}

const rowsOf = (rfc: string, tipo: 'emitidos' | 'recibidos', from = '2026-01-01', to = '2026-06-30') => [
  ...simulador.world.taxpayers.rows(rfc, tipo, parseWallTime(from) ?? 0, parseWallTime(to) ?? 0),
];

const expressionOf = (row: Row, change: Partial<Record<'re' | 'rr' | 'tt' | 'id', string>> = {}) => {
  const [tt] = totalForms(row.monto);
  const parts = { re: row.rfcEmisor, rr: row.rfcReceptor, tt, id: row.uuid, ...change };
  return `?${Object.entries(parts)
    .map(([name, value]) => `${name}=${value.replaceAll('&', '&amp;')}`)
    .join('&')}`;
};

const some = (rows: Row[], is: (row: Row) => boolean): Row => {
  const row = rows.find(is);
  if (!row) throw new Error('no such row');
  return row;
};

describe('the status of a CFDI', () => {
  it('takes text and CDATA, a quoted action, lower case UUID, an address before it, and the form of CFDI 3.2', async () => {
    const row = some(rowsOf(RFC, 'recibidos'), ({ rfcEmisor }) => rfcEmisor.includes('&'));
    const full = expressionOf(row);
    expect(full).toContain('H&amp;O');
    const long = `https://verificacfdi.facturaelectronica.sat.gob.mx/default.aspx${full}`;
    const old = expressionOf(row, { tt: totalForms(row.monto)[1] });
    for (const answer of [
      await ask(full),
      await ask(full, { isCdata: true }),
      await ask(full, { action: `"${ACTION}"` }),
      await ask(expressionOf(row, { id: row.uuid.toLowerCase() })),
      await ask(long),
      await ask(old),
    ])
      expect(answer['CodigoEstatus']).toMatch(/^S - /);
  });

  it('does not find it with another total, form of total, issuer, receiver, UUID or seal', async () => {
    const row = some(rowsOf(RFC, 'recibidos'), ({ monto }) => /\.\d[1-9]$/.test(monto));
    const cents = (Number(row.monto) + 0.01).toFixed(2);
    for (const expression of [
      expressionOf(row, { tt: cents }),
      expressionOf(row, { tt: `${row.monto}0` }),
      expressionOf(row, { tt: `0${row.monto}` }),
      expressionOf(row, { re: 'XIQB891116QE4' }),
      expressionOf(row, { rr: 'XIQB891116QE4' }),
      expressionOf(row, { id: '00000000-0000-4000-8000-000000000000' }),
      `${expressionOf(row)}&fe=AAAAAAAA`,
    ]) {
      const answer = await ask(expression);
      expect(answer).toMatchObject({ status: 200, Estado: 'No Encontrado', ValidacionEFOS: '' });
      expect(answer['CodigoEstatus']).toMatch(/^N - 602/);
    }
  });

  it('takes the end of the seal, which the control API shows', async () => {
    const response = await fetch(
      `${simulador.url}/control/contribuyentes/${RFC}/cfdi?desde=2026-03-01&hasta=2026-03-31&limite=5`,
    );
    const { total, cfdi } = (await response.json()) as {
      total: number;
      cfdi: { expresion: string; estatus: string }[];
    };
    expect(cfdi).toHaveLength(5);
    expect(total).toBe(
      rowsOf(RFC, 'recibidos', '2026-03-01', '2026-04-01').length -
        rowsOf(RFC, 'recibidos', '2026-04-01', '2026-04-01').length,
    );
    for (const { expresion, estatus } of cfdi) {
      expect(expresion).toMatch(/&fe=.{8}$/);
      expect((await ask(expresion))['Estado']).toBe(estatus);
    }
  });

  it.each([
    '',
    'hola',
    `?re=${RFC}`,
    `?re=${RFC}&rr=${RFC}&tt=1.0&id=abc`,
    `?re=${RFC}&rr=${RFC}&tt=$1.00&id=00000000-0000-4000-8000-000000000000`,
    // The `&` of an RFC that is not escaped a second time ends the value.
    `?re=H&O8805197Q2&rr=${RFC}&tt=1.0&id=00000000-0000-4000-8000-000000000000`,
  ])('calls %j no valid expression', async (expression) => {
    expect((await ask(expression))['CodigoEstatus']).toBe('Expresión impresa no válida. Expresión: 601');
  });

  it('refuses another action', async () => {
    const { status, text } = await ask('?', { action: 'http://tempuri.org/Otra' });
    expect(status).toBe(500);
    expect(text).toContain('ActionNotSupported');
  });

  it('tells of third parties', async () => {
    const row = some(rowsOf(RFC, 'emitidos'), ({ tercero }) => tercero !== null);
    expect((await ask(expressionOf(row)))['ValidacionEFOS']).toBe('201');
    const { listado69b } = simulador.world;
    const paso = {
      situacion: 'Definitivo',
      oficio: 'x',
      fechaSat: parseWallTime('2026-01-01') ?? 0,
      fechaDof: null,
    } as const;
    const rfc = row.tercero?.rfc ?? '';
    listado69b.replace(new Map([[rfc, [{ rfc, nombre: 'X', isMasked: false, pasos: [paso] }]]]));
    expect((await ask(expressionOf(row)))['ValidacionEFOS']).toBe('102');
    listado69b.reset();
  });

  it('obeys the magic of either RFC, and injected codes', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect((await ask(`?re=CAI900215SIA&rr=${RFC}&tt=1.0&id=${id}`))['status']).toBe(503);
    expect((await ask(`?re=${RFC}&rr=CAID900215SI2&tt=1.0&id=${id}`))['status']).toBe(503);
    const html = await ask(`?re=HTM900215SI9&rr=${RFC}&tt=1.0&id=${id}`);
    expect([html['status'], html['text']]).toEqual([200, expect.stringContaining('<!DOCTYPE html>')]);
    simulador.world.faults.add({ service: 'consultaqr', kind: 'code', code: 601, times: 1 });
    const [row] = rowsOf(RFC, 'recibidos');
    expect(row && (await ask(expressionOf(row)))['CodigoEstatus']).toBe('N - 601');
  });
});

describe('the expression', () => {
  it.each([
    ['0', '0.0', '0000000000.000000'],
    ['1160', '1160.0', '0000001160.000000'],
    ['1160.5', '1160.5', '0000001160.500000'],
    ['0.99', '0.99', '0000000000.990000'],
    ['10.10', '10.1', '0000000010.100000'],
  ])('writes the total %s as %s or %s', (monto, now, before) => {
    expect(totalForms(monto)).toEqual([now, before]);
  });

  it('may have its parts in any order', () => {
    const id = 'AAAAAAAA-0000-4000-8000-000000000000';
    expect(readExpression(`?id=${id}&re=${RFC}&rr=XAXX010101000&tt=1.0&fe=abcd=e==`)).toEqual({
      re: RFC,
      rr: 'XAXX010101000',
      tt: '1.0',
      id,
      fe: 'abcd=e==',
    });
  });
});
