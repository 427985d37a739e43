import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { type Browser, createBrowser, readForm, tableRows, type Visit } from '../testing/browser.ts';
import { visitByCiec } from '../testing/single-sign-on.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import type { Tipo } from '../world/taxpayers/row.ts';
import { DAY, parseWallTime } from '../world/wall-time.ts';

const RFC = 'EKU9003173C9';
const MAIN = 'ctl00$MainContent$';

const simulador = await startForTests();
const portal = `${simulador.url}/prodretencioncontribuyente`;

async function inside(rfc = RFC): Promise<Browser> {
  const browser = createBrowser();
  await visitByCiec(simulador, browser, `${portal}/?oculta=1`, rfc);
  return browser;
}

async function search(browser: Browser, page: string, change: Record<string, string>): Promise<Visit> {
  const { action, fields } = readForm(await browser.get(`${portal}/${page}`), '#form1');
  const named = Object.fromEntries(Object.entries(change).map(([id, value]) => [MAIN + id, value]));
  return browser.post(action, { ...fields, ...named });
}

const month = (text: string) => {
  const [selAnio = '', selMes = ''] = text.split('-');
  return { TipoFiltro: 'rbtnFiltros', selAnio, selMes, selDia: '0' };
};

function table({ text }: Visit) {
  const isShown = !(load(text)('#divResultados').attr('style') ?? '').includes('none');
  return { rows: tableRows(text, '#tablaRetenciones'), isShown };
}

const rowsOf = (tipo: Tipo, from: string, to: string, rfc = RFC) => [
  ...simulador.world.taxpayers.rows(rfc, tipo, parseWallTime(from) ?? 0, (parseWallTime(to) ?? 0) + DAY - 1, {
    documento: 'retenciones',
  }),
];

describe('the way in', () => {
  it('leads through the log-in host of the CFDI portal back to the page asked for', async () => {
    const browser = createBrowser();
    expect((await browser.get(`${portal}/ConsultaEmisor`)).url).toContain('/cfdiau/nidp/');
    const arrived = await visitByCiec(simulador, browser, `${portal}/ConsultaEmisor`, RFC);
    expect(arrived.url).toBe(`${portal}/ConsultaEmisor`);
    expect(load(arrived.text)('#LblRfcAutenticado').text()).toBe(`RFC autenticado: ${RFC}`);
  });

  it('needs no second log-in of who is inside the CFDI portal, and takes no assertion that was meant for it', async () => {
    const browser = createBrowser();
    await visitByCiec(simulador, browser, `${simulador.url}/portalcfdi/`, RFC);
    const arrived = await browser.followForms(await browser.get(`${portal}/?oculta=1`));
    expect(arrived.url).toBe(`${portal}/?oculta=1`);
    const address = new URL(`${simulador.url}/cfdiau/nidp/wsfed/ep?wa=wsignin1.0`);
    address.searchParams.set('wtrealm', `${simulador.url}/portalcfdi`);
    const { fields } = readForm(await browser.get(address.href), 'form');
    expect((await createBrowser().post(`${portal}/`, fields)).status).toBe(500);
    expect((await createBrowser().post(`${simulador.url}/portalcfdi/`, fields)).status).toBe(200);
  });

  it('leads a log-in that no page asked for to the first page', async () => {
    const asked = new URLSearchParams({ wa: 'wsignin1.0', wtrealm: `${portal}/` });
    const login = `${simulador.url}/cfdiau/nidp/wsfed/ep?${asked}`;
    expect((await visitByCiec(simulador, createBrowser(), login, RFC)).url).toBe(`${portal}/?oculta=1`);
  });

  it('offers three choices, each with its page', async () => {
    const browser = await inside();
    const start = await browser.get(`${portal}/?oculta=1`);
    const { action, fields } = readForm(start, '#form1');
    for (const [choice, page] of [
      ['RdoTipoBusquedaEmisor', 'ConsultaEmisor'],
      ['RdoTipoBusquedaReceptor', 'ConsultaReceptor'],
      ['RdoTipoConsultaMasiva', 'ConsultaDescargaMasiva'],
    ]) {
      const { url } = await browser.post(action, { ...fields, [`${MAIN}TipoBusqueda`]: choice ?? '' });
      expect(url).toBe(`${portal}/${page}`);
    }
  });

  it('ends with Salir', async () => {
    const browser = await inside();
    const { action, fields } = readForm(await browser.get(`${portal}/ConsultaEmisor`), '#form1');
    const out = await browser.post(action, { ...fields, __EVENTTARGET: 'ctl00$LnkBtnCierraSesion' });
    expect(out.url).toContain('/cfdiau/nidp/app/logout');
    expect(browser.cookies()).not.toContain('FedAuthRetenciones');
    expect((await browser.get(`${portal}/ConsultaEmisor`)).url).toContain('/cfdiau/');
  });

  it('does not end while Salir fails', async () => {
    const browser = await inside();
    const { action, fields } = readForm(await browser.get(`${portal}/ConsultaEmisor`), '#form1');
    const service = 'prodretencioncontribuyente';
    const { id } = simulador.world.faults.add({ service, operation: 'Salir', kind: 'status', status: 503 });
    const out = await browser.post(action, { ...fields, __EVENTTARGET: 'ctl00$LnkBtnCierraSesion' });
    simulador.world.faults.remove(id);
    expect(out.status).toBe(503);
    expect((await browser.get(`${portal}/ConsultaEmisor`)).url).toBe(`${portal}/ConsultaEmisor`);
  });
});

describe('a search', () => {
  it('finds those issued from one day to another, and by state and receiver', async () => {
    const browser = await inside();
    const expected = rowsOf('emitidos', '2026-01-01', '2026-10-31');
    const dates = { TipoFiltro: 'rbtnFiltros', fecIniEmi: '01/01/2026', fecFinEmi: '31/10/2026' };
    const uuids = async (change: Record<string, string>) =>
      table(await search(browser, 'ConsultaEmisor', { ...dates, ...change })).rows.map((row) => row['Folio Fiscal']);
    expect(await uuids({})).toEqual(expected.map(({ uuid }) => uuid));
    const valid = expected.filter(({ estatus }) => estatus === 'Vigente');
    expect(await uuids({ selEstadoComprobante: '1' })).toEqual(valid.map(({ uuid }) => uuid));
    const receiver = expected[0]?.rfcReceptor ?? '';
    const own = expected.filter(({ rfcReceptor }) => rfcReceptor === receiver);
    expect(await uuids({ txtReceptor: receiver })).toEqual(own.map(({ uuid }) => uuid));
  });

  it('finds one by its UUID', async () => {
    const browser = await inside();
    const [expected] = rowsOf('recibidos', '2026-03-01', '2026-05-31');
    const { rows } = table(await search(browser, 'ConsultaReceptor', { txtFolio: expected?.uuid.toLowerCase() ?? '' }));
    expect(rows.map((row) => row['Folio Fiscal'])).toEqual([expected?.uuid]);
  });

  it('refuses an invalid date, an end before the beginning and an invalid UUID, instead of an empty result', async () => {
    const browser = await inside();
    for (const [page, change] of [
      ['ConsultaReceptor', { ...month('2026-02'), selDia: '30' }],
      ['ConsultaEmisor', { TipoFiltro: 'rbtnFiltros', fecIniEmi: '02/01/2026', fecFinEmi: '01/01/2026' }],
      ['ConsultaEmisor', { txtUuid: 'abc' }],
    ] as const) {
      const answer = await search(browser, page, change);
      const $ = load(answer.text);
      expect($('#divErrores').text()).not.toBe('');
      expect(table(answer).isShown).toBe(false);
      expect($('.noresultados').attr('style')).toContain('none');
    }
  });

  it('refuses the view state of another page', async () => {
    const browser = await inside();
    const { fields } = readForm(await browser.get(`${portal}/ConsultaEmisor`), '#form1');
    expect((await browser.post(`${portal}/ConsultaReceptor`, fields)).status).toBe(500);
  });
});
