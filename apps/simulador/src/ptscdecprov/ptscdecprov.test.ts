import { load } from 'cheerio';
import { expect, test } from 'vitest';
import { type Browser, createBrowser, readForm, type Visit } from '../testing/browser.ts';
import { pdfLines } from '../testing/pdf-text.ts';
import { visitByCiec } from '../testing/single-sign-on.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { EJERCICIO } from './ptscdecprov.ts';

const RFC = 'HEN880505AB3';
const GRID = '#MainContent_wucConsultasDeclaracion_gvDeclaraciones';
const BUSCAR = { ctl00$MainContent$btnBuscar: 'Buscar' };
const simulador = await startForTests();
const base = `${simulador.url}/ptscdecprov`;

async function inside(rfc = RFC): Promise<Browser> {
  const browser = createBrowser();
  const { text } = await visitByCiec(simulador, browser, `${base}/`, rfc);
  expect(load(text)('#menu a').length).toBe(3);
  return browser;
}

async function search(browser: Browser, ejercicio: string, pagina = 'ConsultaDeclaracion.aspx'): Promise<Visit> {
  const { action, fields } = readForm(await browser.get(`${base}/Paginas/${pagina}`), '#ctl01');
  return browser.post(action, { ...fields, ...BUSCAR, [EJERCICIO]: ejercicio });
}

function rowsOf({ text }: Visit): string[][] {
  const $ = load(text);
  return Array.from($(`${GRID} > tbody > tr`), (line) =>
    Array.from($(line).children(), (cell) => $(cell).text().trim()),
  );
}

test.each([
  ['ConsultaDeclaracion.aspx', 'Declaración provisional'],
  ['ReimpresionAcuse.aspx', 'Acuse de recibo'],
])('the link of a row of %s shows its document in frameDyP', async (pagina, titulo) => {
  const browser = await inside();
  const list = await search(browser, '2021', pagina);
  const [, , second] = rowsOf(list);
  const href = load(list.text)(`${GRID}_lbtnNumOp_1`).attr('href') ?? '';
  const __EVENTTARGET = /__doPostBack\('([^']+)',''\)/.exec(href)?.[1] ?? '';
  const { action, fields } = readForm(list, '#ctl01');
  const opened = await browser.post(action, { ...fields, [EJERCICIO]: '2021', __EVENTTARGET });
  const src = load(opened.text)('#frameDyP').attr('src') ?? '';
  const answer = await browser.raw(new URL(src, `${base}/Paginas/`).href);
  const lines = await pdfLines(Buffer.from(await answer.arrayBuffer()));
  expect(lines.join('\n')).toContain(titulo);
  expect(lines.join('\n')).toContain(second?.[0]);
  // No other taxpayer gets it.
  const other = await inside('XIQB891116QE4');
  expect((await other.raw(new URL(src, `${base}/Paginas/`).href)).status).toBe(500);
});

test('has no table for a year without returns, and no year after 2021', async () => {
  const browser = await inside('SIN900215SI9');
  const { text } = await search(browser, '2020');
  expect(load(text)(GRID).length).toBe(0);
  expect(text).toContain('No se encontraron declaraciones.');
  expect((await search(browser, '2022')).status).toBe(500);
});

test('takes no form of another session or page, and no link of a row that is not shown', async () => {
  const browser = await inside();
  const list = await search(browser, '2020');
  const { action, fields } = readForm(list, '#ctl01');
  const sent = { ...fields, [EJERCICIO]: '2020', ...BUSCAR };
  expect((await (await inside()).post(action, sent)).status).toBe(500);
  expect((await browser.post(`${base}/Paginas/ReimpresionAcuse.aspx`, sent)).status).toBe(500);
  expect((await browser.post(action, { ...sent, __VIEWSTATE: 'x' })).status).toBe(500);
  const __EVENTTARGET = 'ctl00$MainContent$wucConsultasDeclaracion$gvDeclaraciones$ctl99$lbtnNumOp';
  expect((await browser.post(action, { ...fields, [EJERCICIO]: '2020', __EVENTTARGET })).status).toBe(500);
});
