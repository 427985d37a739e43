import { load } from 'cheerio';
import { expect, test } from 'vitest';
import { type Browser, createBrowser } from '../testing/browser.ts';
import { follow, isCiecPage, sendCiecPage } from '../testing/idp-client.ts';
import { pdfLines } from '../testing/pdf-text.ts';
import { visitByCiec } from '../testing/single-sign-on.ts';
import { startForTests } from '../testing/start-for-tests.ts';

const RFC = 'ÑAN910101AB1';
const ENTRADA = '/ptsc32d/?/reporteOpinion32DContribuyente';
const simulador = await startForTests();
const base = simulador.url;

async function logIn(rfc: string): Promise<Browser> {
  const browser = createBrowser();
  const end = await visitByCiec(simulador, browser, base + ENTRADA, rfc);
  expect(load(end.text)('#root').attr('data-rfc'), end.text).toBe(rfc);
  return browser;
}

const pedido = (rfc: string, change: Record<string, unknown> = {}) => ({
  canal: 'G',
  curp: '',
  idCorrelacion: '5f1c',
  ip: '127.0.0.1',
  rfc,
  tipoConsulta: 'COMPLETA',
  tipoReporte: '32D',
  usuario: rfc,
  rfcCorto: rfc,
  ...change,
});

function ask(browser: Browser, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return browser.raw(`${base}/ptsc32d/RespuestaCompleta/ObtenerRespuestaCompletaPdf`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

type Cuerpo = {
  Respuesta: { Exito: boolean; Mensaje: string };
  ContenidoBase64: string | null;
  Validaciones: Record<string, string> | null;
};

async function opinionOf(rfc: string) {
  const cuerpo = (await (await ask(await logIn(rfc), pedido(rfc))).json()) as Cuerpo;
  const lines = pdfLines(Buffer.from(cuerpo.ContenidoBase64 ?? '', 'base64'));
  return { cuerpo, lines };
}

test('a password opens the application, which issues a positive opinion', async () => {
  const { cuerpo, lines } = await opinionOf(RFC);
  expect(cuerpo.Respuesta.Exito).toBe(true);
  expect(cuerpo.Validaciones).toMatchObject({ Descripcion: 'Positivo', Estatus: 'Vigente' });
  const { nombre } = simulador.world.taxpayers.taxpayer(RFC);
  expect(lines).toEqual(expect.arrayContaining([nombre, 'POSITIVO', RFC, cuerpo.Validaciones?.['Folio']]));
  expect(cuerpo.Validaciones?.['Folio']).toMatch(/^\d{2}[A-Z]{2}\d{7}$/);
});

test('the form of the entry leads to the e.firma when its contract is changed, as a public client does', async () => {
  const browser = createBrowser();
  const entry = await browser.get(base + ENTRADA);
  const action = load(entry.text)('form').attr('action') ?? '';
  expect(action).toContain('/loginda/nidp/app/login?id=ciec');
  const page = await browser.post(action.replace('id=ciec', 'id=fiel'), { option: 'credential' });
  expect(load(page.text)('#certform')).toHaveLength(1);
});

test('the notes name the other senses, so a word alone proves nothing', async () => {
  const { lines } = await opinionOf(RFC);
  expect(lines.join(' ')).toContain('NEGATIVO:');
});

test('the document carries the date of the simulated clock, in central Mexico', async () => {
  simulador.world.clock.set(new Date('2026-03-02T05:30:00Z'));
  const { lines } = await opinionOf(RFC);
  expect(lines).toContain('01 de marzo de 2026 a las 23:30 horas');
  expect(lines.some((line) => line.includes('|01-03-2026|P||'))).toBe(true);
});

test('without a session there is no document; nor with an invented token', async () => {
  const browser = createBrowser();
  expect((await ask(browser, pedido(RFC))).status).toBe(401);
  expect((await ask(browser, pedido(RFC), { authorization: 'Bearer inventado' })).status).toBe(401);
});

test('a taxpayer never sees the opinion of another', async () => {
  const browser = await logIn(RFC);
  const cuerpo = (await (await ask(browser, pedido('EKU9003173C9'))).json()) as Cuerpo;
  expect(cuerpo.Respuesta.Exito).toBe(false);
  expect(cuerpo.ContenidoBase64).toBeNull();
});

test('refuses a request without its fields', async () => {
  const browser = await logIn(RFC);
  expect((await ask(browser, { rfc: RFC })).status).toBe(400);
  expect((await ask(browser, pedido(RFC, { tipoReporte: '33' }))).status).toBe(400);
});

test('a code is of no use to another browser', async () => {
  const browser = createBrowser();
  const page = await follow(browser, await browser.get(base + ENTRADA));
  const inside = await sendCiecPage(base, browser, page, RFC);
  const authz = /top\.location\.href='([^']+)'/.exec(inside.text)?.[1] ?? '';
  const form = load((await browser.get(authz)).text)('form');
  const fields = Object.fromEntries(
    ['code', 'state'].map((name) => [name, form.find(`input[name=${name}]`).attr('value') ?? '']),
  );
  const stolen = await createBrowser().post(form.attr('action') ?? '', fields);
  expect(stolen.status).toBe(500);
  expect((await browser.post(form.attr('action') ?? '', fields)).status).toBe(500);
});

test('a spoilt answer of the token end point is a failed log-in', async () => {
  const browser = createBrowser();
  const page = await follow(browser, await browser.get(base + ENTRADA));
  simulador.world.faults.add({ service: 'loginda', operation: 'CambiarCodigo', kind: 'html200' });
  const end = await follow(browser, await sendCiecPage(base, browser, page, RFC));
  expect([end.status, end.text]).toEqual([500, expect.stringContaining('handling the remote login')]);
  expect((await ask(browser, pedido(RFC))).status).toBe(401);
});

test('log-out ends the session, and that of the log-in host', async () => {
  const browser = await logIn(RFC);
  await browser.get(`${base}/ptsc32d/logout`);
  expect((await ask(browser, pedido(RFC))).status).toBe(401);
  expect(isCiecPage(await follow(browser, await browser.get(base + ENTRADA)))).toBe(true);
});

test('a session ends after twenty idle minutes', async () => {
  const browser = await logIn(RFC);
  simulador.world.clock.advance(21 * 60_000);
  expect((await ask(browser, pedido(RFC))).status).toBe(401);
});
