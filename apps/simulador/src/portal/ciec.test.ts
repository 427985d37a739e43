import { load } from 'cheerio';
import { beforeEach, expect, test } from 'vitest';
import { type Browser, createBrowser, readForm } from '../testing/browser.ts';
import { isCiecPage, sendCiecPage } from '../testing/idp-client.ts';
import {
  CIEC_LOGIN,
  captchaOf,
  defaultCiec,
  logIn,
  putSettings,
  sendCiec,
  solveCaptcha,
} from '../testing/portal-client.ts';
import { startForTests } from '../testing/start-for-tests.ts';

const simulador = await startForTests();
const base = simulador.url;

beforeEach(() => simulador.world.log.clear());

const loginCalls = (operation: string) => simulador.world.log.count({ service: 'cfdiau', operation });

test('the page shows a captcha as an inline image and a password box of 16 characters', async () => {
  const page = await createBrowser().get(base + CIEC_LOGIN);
  const $ = load(page.text);
  expect(page.status).toBe(200);
  expect($('#divCaptcha > img').attr('src')).toMatch(/^data:image\/jpeg;base64,iVBOR/);
  expect($('input[name=Ecom_Password]').attr('maxlength')).toBe('16');
  expect(await solveCaptcha(base, captchaOf(page))).toMatch(/^[A-Z2-9]{6}$/);
});

test('a right log-in leads through two forms to a page that names the RFC', async () => {
  const browser = createBrowser();
  const { action, fields } = await assertionFor(browser, 'EKU9003173C9');
  expect(action).toBe(`${base}/portalcfdi/`);
  expect(Object.keys(fields)).toEqual(['wa', 'wresult', 'wctx']);
  expect(fields['wa']).toBe('wsignin1.0');
  expect(fields['wresult']).toContain(` Issuer="${base}/cfdiau/nidp/wsfed/" `);
  expect(fields['wresult']).toContain(`<saml:Audience>${base}/portalcfdi</saml:Audience>`);

  const home = await browser.post(action, fields);
  expect(load(home.text)('#ctl00_LblRfcAutenticado').text()).toBe('RFC Autenticado: EKU9003173C9');
  expect(browser.cookies()).toEqual(['FedAuth', 'FedAuth1', 'JSESSIONID']);
  expect(simulador.world.log.list({ service: 'portalcfdi', operation: 'RecibirToken' })[0]?.rfc).toBe('EKU9003173C9');

  const again = await browser.get(base + CIEC_LOGIN);
  expect(again.text).toContain(`${base}/cfdiau/nidp/app?sid=0`);
});

test('a session that starts at a page of the portal ends there', async () => {
  const browser = createBrowser();
  const start = await browser.get(`${base}/portalcfdi/ConsultaReceptor.aspx`);
  const login = await browser.followForms(start);
  expect(readForm(login, '#IDPLogin').action).toContain('/cfdiau/nidp/wsfed/ep?id=SATUPCFDiCon');
  const end = await browser.followForms(await sendCiecPage(base, browser, login, 'ACT010101AAA'));
  expect(end.url).toBe(`${base}/portalcfdi/ConsultaReceptor.aspx`);
});

test('a wrong captcha gives the form again, with another captcha', async () => {
  const browser = createBrowser();
  const rfc = 'CAP010101AAA';
  const answer = await sendCiec(base, browser, rfc, defaultCiec(rfc), { userCaptcha: 'AAAAAA' });
  expect(answer.text).toContain('Captcha no válido');
  expect(load(answer.text)('input[name=Ecom_User_ID]')).toHaveLength(1);
  expect(captchaOf(answer)).not.toBe('');
});

test('a captcha answers once, and only for the page that showed it', async () => {
  const rfc = 'CAP020202AAA';
  const browser = createBrowser();
  const page = await browser.get(base + CIEC_LOGIN);
  const userCaptcha = await solveCaptcha(base, captchaOf(page));
  const { action, fields } = readForm(page, '#IDPLogin');
  const wrong = { ...fields, Ecom_User_ID: rfc, Ecom_Password: 'incorrecta', userCaptcha };
  expect((await browser.post(action, wrong)).text).toContain('El RFC o contraseña son incorrectos');
  const reused = await browser.post(action, { ...wrong, Ecom_Password: defaultCiec(rfc) });
  expect(reused.text).toContain('Captcha no válido');
});

test('a log-in that never saw a captcha does not pass without one', async () => {
  const rfc = 'CAP050505AAA';
  const sent = { Ecom_User_ID: rfc, Ecom_Password: defaultCiec(rfc), userCaptcha: '' };
  expect((await createBrowser().post(base + CIEC_LOGIN, sent)).text).toContain('Captcha no válido');
});

test('without captcha the page shows none and asks for none', async () => {
  const rfc = 'CAP040404AAA';
  simulador.world.settings.captcha = false;
  const browser = createBrowser();
  const page = await browser.get(base + CIEC_LOGIN);
  expect(page.text).not.toContain('divCaptcha');
  const sent = { Ecom_User_ID: rfc, Ecom_Password: defaultCiec(rfc) };
  const answer = await browser.post(readForm(page, '#IDPLogin').action, sent);
  simulador.world.settings.captcha = true;
  expect(answer.text).toContain('document.forms[0].submit()');
});

test('three wrong passwords in a row lock the account for a while, wrong captchas do not', async () => {
  const rfc = 'LOC010101AAA';
  const browser = createBrowser();
  for (let i = 0; i < 4; i++) await sendCiec(base, browser, rfc, 'mala', { userCaptcha: 'AAAAAA' });
  expect((await sendCiec(base, browser, rfc, 'mala')).text).toContain('El RFC o contraseña son incorrectos');
  expect((await sendCiec(base, browser, rfc, 'mala')).text).toContain('El RFC o contraseña son incorrectos');
  expect((await sendCiec(base, browser, rfc, 'mala')).text).toContain('bloqueada');
  expect((await sendCiec(base, browser, rfc, defaultCiec(rfc))).text).toContain('bloqueada');

  simulador.world.clock.advance(31 * 60_000);
  expect((await sendCiec(base, createBrowser(), rfc, defaultCiec(rfc))).text).toContain('document.forms[0].submit()');
  expect(loginCalls('EntrarCiec')).toBe(9);
});

test('a right password forgets the wrong ones before it', async () => {
  const rfc = 'LOC020202AAA';
  for (let round = 0; round < 2; round++) {
    const browser = createBrowser();
    await sendCiec(base, browser, rfc, 'mala');
    await sendCiec(base, browser, rfc, 'mala');
    expect((await sendCiec(base, browser, rfc, defaultCiec(rfc))).text).toContain('document.forms[0].submit()');
  }
});

test('an invalid RFC is refused like a wrong password', async () => {
  expect((await sendCiec(base, createBrowser(), 'NADIE', 'x')).text).toContain('El RFC o contraseña son incorrectos');
});

test('who asks for a service that this log-in host does not know is vouched for at the CFDI portal', async () => {
  const browser = await logIn(base, 'AJE010101AAA');
  for (const realm of ['https://ajeno.invalid', `${base}/agr`, `${base}/portalcfdi/otra`, '']) {
    const query = new URLSearchParams({ wa: 'wsignin1.0', wtrealm: realm });
    const { action, fields } = readForm(await browser.get(`${base}/cfdiau/nidp/wsfed/ep?${query}`), 'form');
    expect(action).toBe(`${base}/portalcfdi/`);
    expect((await createBrowser().post(action, fields)).text).toContain('AJE010101AAA');
  }
});

test('an unknown contract gets the page by password, by a hop that carries no fields', async () => {
  const page = await createBrowser().get(`${base}/cfdiau/nidp/app/login?id=Inventado&sid=0&option=credential&sid=0`);
  expect(page.status).toBe(200);
  expect(isCiecPage(page)).toBe(true);
  const query = new URLSearchParams({ wa: 'wsignin1.0', wtrealm: `${base}/portalcfdi/` });
  expect(readForm(await createBrowser().get(`${base}/cfdiau/nidp/wsfed/ep?${query}`), 'form').fields).toEqual({});
});

test('the way back after the log-in never leaves the portal', async () => {
  const rfc = 'RED010101AAA';
  const browser = createBrowser();
  const { action, fields } = await assertionFor(browser, rfc);
  const body = new URLSearchParams({ ...fields, wctx: 'rm=0&id=passive&ru=%2f%2fotro.example%2f' });
  const response = await browser.raw(action, { method: 'POST', body });
  expect(response.headers.get('location')).toBe(`${base}/portalcfdi/`);
});

test('the idle minutes can be set', async () => {
  expect((await putSettings(base, { minutos_sesion: 2 })).status).toBe(200);
  const browser = await logIn(base, 'IDL020202AAA');
  simulador.world.clock.advance(3 * 60_000);
  expect((await browser.raw(`${base}/portalcfdi/`)).status).toBe(302);
  simulador.world.clock.set(null);
  await putSettings(base, { minutos_sesion: 15 });
  expect((await putSettings(base, { minutos: 2 })).status).toBe(400);
  expect((await fetch(`${base}/cfdiau/simulador/ajustes`, { method: 'PUT', body: 'nada' })).status).toBe(400);
});

test('logging out ends both sessions when the refresh is followed', async () => {
  const before = await openSessions();
  const browser = await logIn(base, 'SAL010101AAA');
  expect(await openSessions()).toEqual({ cfdiau: before.cfdiau + 1, portalcfdi: before.portalcfdi + 1 });

  const out = await browser.get(`${base}/portalcfdi/logout.aspx?salir=y`);
  expect((await openSessions()).portalcfdi).toBe(before.portalcfdi);
  const refresh = load(out.text)('head meta[http-equiv=refresh]').attr('content') ?? '';
  await browser.get(refresh.replace('0;url=', ''));
  expect(await openSessions()).toEqual(before);
  expect(browser.cookies()).toEqual([]);
  expect((await browser.raw(`${base}/portalcfdi/`)).status).toBe(302);
});

/** The form with the assertion that a log-in ends with, after the hop that comes first. */
async function assertionFor(browser: Browser, rfc: string) {
  const hop = readForm(await sendCiec(base, browser, rfc, defaultCiec(rfc)), 'form');
  expect(hop.action).toBe(`${base}/cfdiau/nidp/wsfed/ep?sid=0`);
  return readForm(await browser.post(hop.action, {}), 'form');
}

async function openSessions() {
  const response = await fetch(`${base}/cfdiau/simulador/sesiones`);
  return (await response.json()) as { cfdiau: number; portalcfdi: number };
}
