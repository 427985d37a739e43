import { load } from 'cheerio';
import { expect, test } from 'vitest';
import { type Browser, createBrowser, readForm, type Visit } from '../testing/browser.ts';
import { fertOf, sendFielPage } from '../testing/idp-client.ts';
import { captchaOf, defaultCiec, solveCaptcha } from '../testing/portal-client.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { issue } from '../testing/start-with-efirma.ts';

/**
 * The orders of requests that public clients send, one test a client. They are written down here from those clients'
 * sources; nothing of their code is used.
 */
const RFC = 'PUB900101AB1';
const VENCE = new Date('2030-12-31T23:59:58Z');
const simulador = await startForTests();
const base = simulador.url;
const efirma = await issue(simulador, { rfc: RFC, vence: VENCE });

const scriptedAddress = ({ text }: Visit) =>
  /(?:window|top)\.location\.href\s*=\s*["']([^"']+)["']/.exec(text)?.[1] ?? '';

async function credentials(page: Visit) {
  const userCaptcha = await solveCaptcha(base, captchaOf(page));
  return { Ecom_User_ID: RFC, Ecom_Password: defaultCiec(RFC), userCaptcha, submit: 'Enviar' };
}

async function opinion(browser: Browser): Promise<string> {
  const response = await browser.raw(`${base}/ptsc32d/RespuestaCompleta/ObtenerRespuestaCompletaPdf`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      canal: 'G',
      curp: '',
      idCorrelacion: '67f0a1b2c3d4e',
      ip: '127.0.0.1',
      rfc: RFC,
      tipoConsulta: 'COMPLETA',
      tipoReporte: '32D',
      usuario: RFC,
      rfcCorto: RFC,
    }),
  });
  const { ContenidoBase64 } = (await response.json()) as { ContenidoBase64: string };
  return Buffer.from(ContenidoBase64, 'base64').toString('latin1');
}

test('phpcfdi/csf-sat-scraper: log-in by password at login.siat, checked on the first page', async () => {
  const browser = createBrowser();
  await browser.get(`${base}/login/nidp/app?sid=1`);
  const address = `${base}/login/nidp/app/login?id=ptsc-ciec&sid=1&option=credential`;
  const page = await browser.post(address, {});
  expect(page.text).toContain('divCaptcha');
  await browser.post(address, await credentials(page));
  const { text } = await browser.post(`${base}/login/nidp/app?sid=1`, {});
  expect(text).toContain(RFC);
  expect(text).not.toContain('captcha');
});

test('SAT-CFDI/python-satcfdi: log-in by e.firma at login.siat, in two steps', async () => {
  const browser = createBrowser();
  const entry = await browser.get(`${base}/login/nidp/idff/sso?id=fiel_Aviso`);
  const { action, fields } = readForm(entry, 'form');
  const page = await browser.post(action, fields);
  expect(load(page.text)('#certform input[name=guid]')).toHaveLength(1);
  await sendFielPage(browser, page, RFC, efirma, fertOf(VENCE));
  const again = await browser.get(`${base}/login/nidp/idff/sso?id=fiel_Aviso`);
  expect(load(again.text)('form')).toHaveLength(0);
});

test('luffynando/sat-scrapers-auth: after the e.firma at idff/sso the way goes on at idff/sso', async () => {
  const browser = createBrowser();
  await browser.post(`${base}/login/nidp/idff/sso?id=ptsc-ciec&sid=0&option=credential&sid=0`, {});
  const page = await browser.get(`${base}/login/nidp/idff/sso?id=fiel&sid=0&option=credential&sid=0`);
  const answer = await sendFielPage(browser, page, RFC, efirma, fertOf(VENCE));
  expect(answer.text).toContain('nidp/idff/sso?sid=0');
  expect((await browser.get(scriptedAddress(answer))).status).toBe(200);
});

test('phpcfdi/opinion-cumplimiento-sat-scraper: opinion by password', async () => {
  const browser = createBrowser();
  await browser.get(`${base}/ptsc32d/?/reporteOpinion32DContribuyente`);
  const address = `${base}/loginda/nidp/app/login?id=contr-dual-totp-eFirma&sid=0&option=credential&sid=0`;
  const page = await browser.post(address, {});
  expect(page.text).toContain('divCaptcha');
  const inside = await browser.post(address, await credentials(page));
  const { action, fields } = readForm(await browser.get(scriptedAddress(inside)), 'form');
  await browser.post(action, fields);
  expect(await opinion(browser)).toMatch(/^%PDF-/);
});

test('SAT-CFDI/python-satcfdi: opinion by e.firma', async () => {
  const browser = createBrowser();
  const entry = await browser.get(`${base}/ptsc32d/?/reporteOpinion32DContribuyente`);
  const form = readForm(entry, 'form');
  const page = await browser.post(form.action.replace('id=ciec', 'id=fiel'), form.fields);
  const inside = await sendFielPage(browser, page, RFC, efirma, fertOf(VENCE));
  let visit = await browser.get(scriptedAddress(inside));
  while (load(visit.text)('form').length > 0) {
    const { action, fields } = readForm(visit, 'form');
    visit = await browser.post(action, fields);
  }
  expect(await opinion(browser)).toMatch(/^%PDF-/);
});

test('luffynando/sat-scrapers-auth: returns by e.firma', async () => {
  const browser = createBrowser();
  await browser.get(`${base}/pstcdypisr/`);
  const ciec = `${base}/loginda/nidp/wsfed/ep?id=ciec&sid=0&option=credential&sid=0`;
  await browser.post(ciec, {});
  const page = await browser.get(`${base}/loginda/nidp/app/login?id=fiel&sid=0&option=credential&sid=0`);
  const answer = await sendFielPage(browser, page, RFC, efirma, fertOf(VENCE));
  const { text } = await browser.post(`${base}/pstcdypisr/`, readForm(answer, 'form').fields);
  expect(text).toContain('RFC:');
  expect(text).toContain(RFC);
});

test('luffynando/sat-scrapers-auth: returns by password', async () => {
  const browser = createBrowser();
  await browser.get(`${base}/pstcdypisr/`);
  const address = `${base}/loginda/nidp/wsfed/ep?id=ciec&sid=0&option=credential&sid=0`;
  const page = await browser.get(address);
  const answer = await browser.post(address, { ...(await credentials(page)), option: 'credential' });
  expect(answer.text).not.toContain('Ecom_User_ID');
  await browser.post(`${base}/pstcdypisr/`, readForm(answer, 'form').fields);
  const { text } = await browser.get(`${base}/pstcdypisr/Consulta/Consulta?tipoDocumento=1`);
  expect(load(text)('#btnBuscar')).toHaveLength(1);
});
