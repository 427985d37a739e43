import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { load } from 'cheerio';
import { expect, test } from 'vitest';
import { checkFielToken } from '../nidp/login-desk.ts';
import { type Browser, createBrowser, readForm } from '../testing/browser.ts';
import { FIEL_LOGIN } from '../testing/portal-client.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { createPki, type Efirma, type EfirmaOrder } from '../world/pki.ts';

const RFC = 'H&E951128469';
const simulador = await startForTests({}, new Date('2026-11-20T18:00:00Z'));
const base = simulador.url;
const efirma = await issue({});

function issue(change: Partial<EfirmaOrder>): Promise<Efirma> {
  const order = { rfc: RFC, nombre: 'HERRERÍA & ESPEJOS', password: '12345678a' };
  const dates = { desde: new Date('2025-01-01T00:00:00Z'), vence: new Date('2028-12-31T23:59:58Z') };
  return simulador.world.pki.issue({ ...order, ...dates, ...change });
}

function keyOf({ key, password }: Efirma): KeyObject {
  return createPrivateKey({ key, format: 'der', type: 'pkcs8', passphrase: password });
}

function base64(data: string | Buffer): string {
  return Buffer.from(data).toString('base64');
}

type Attempt = {
  efirma?: Efirma;
  rfc?: string;
  signer?: Efirma;
  fert?: string;
  guid?: string;
  formGuid?: string;
};

async function send(browser: Browser, attempt: Attempt = {}) {
  const page = await browser.get(base + FIEL_LOGIN);
  const { action, fields } = readForm(page, '#certform');
  const used = attempt.efirma ?? efirma;
  const text = `${attempt.guid ?? fields['guid']}|${attempt.rfc ?? RFC}|${used.numero}`;
  const signature = sign('RSA-SHA1', Buffer.from(text, 'utf8'), keyOf(attempt.signer ?? used));
  const token = base64(`${base64(text)}#${base64(base64(signature))}`);
  const guid = attempt.formGuid ?? fields['guid'] ?? '';
  const filled = { ...fields, guid, token, fert: attempt.fert ?? '281231235958Z' };
  return { page, filled, action, answer: await browser.post(action, filled) };
}

const isInside = (text: string) => load(text)('#ctl00_LblRfcAutenticado').text() === `RFC Autenticado: ${RFC}`;

test('a token signed by the e.firma opens the portal', async () => {
  const browser = createBrowser();
  const { answer } = await send(browser);
  expect(isInside((await browser.followForms(answer)).text)).toBe(true);
  expect(simulador.world.log.list({ operation: 'EntrarFiel' }).at(-1)?.rfc).toBe(RFC);
});

test('after the portal asked for a log-in, the answer is the federation form at once', async () => {
  const browser = createBrowser();
  await browser.followForms(await browser.get(`${base}/portalcfdi/ConsultaEmisor.aspx`));
  const { answer } = await send(browser);
  const { action, fields } = readForm(answer, 'form');
  expect([action, Object.keys(fields)]).toEqual([`${base}/portalcfdi/`, ['wa', 'wresult', 'wctx']]);
  const end = await browser.post(action, fields);
  expect(end.url).toBe(`${base}/portalcfdi/ConsultaEmisor.aspx`);
  expect(isInside(end.text)).toBe(true);
});

test('a token that another key signed gives the page again', async () => {
  const other = await issue({});
  const { answer } = await send(createBrowser(), { signer: other });
  expect(load(answer.text)('#certform')).toHaveLength(1);
  expect(load(answer.text)('#msgError').text()).toContain('clave privada');
});

test('refuses a CSD, another RFC, a wrong end date, an unknown challenge', async () => {
  const csd = await issue({ csd: true });
  const messages = [];
  for (const attempt of [
    { efirma: csd },
    { rfc: 'EKU9003173C9' },
    { fert: '281231235959Z' },
    { guid: 'inventado' },
    { formGuid: 'otro' },
  ]) {
    const { answer } = await send(createBrowser(), attempt);
    messages.push(load(answer.text)('#msgError').text());
  }
  expect(messages).toEqual([
    'El certificado no es una e.firma válida.',
    'El certificado no es una e.firma válida.',
    'El certificado está revocado, caduco o aún no es vigente.',
    'La página ha caducado, intente de nuevo.',
    'La página ha caducado, intente de nuevo.',
  ]);
});

test('refuses a certificate of another authority', async () => {
  const foreign = await (await createPki()).issue({
    rfc: RFC,
    nombre: 'OTRA',
    password: 'x',
    desde: new Date('2025-01-01T00:00:00Z'),
    vence: new Date('2028-12-31T23:59:58Z'),
  });
  const { pki } = simulador.world;
  const world = { ...simulador.world, pki: { ...pki, find: async () => pki.inspect(foreign.cer) } };
  const text = `reto|${RFC}|${foreign.numero}`;
  const signature = sign('RSA-SHA1', Buffer.from(text), keyOf(foreign));
  const token = base64(`${base64(text)}#${base64(base64(signature))}`);
  const form = { guid: 'reto', token, fert: '281231235958Z' };
  expect(await checkFielToken(world, form, 'reto')).toEqual({ reason: 'certificado' });
  expect(await checkFielToken(world, { ...form, token: 'x' }, 'reto')).toEqual({ reason: 'token' });
});

test('refuses an e.firma before its first day', async () => {
  const future = await issue({ desde: new Date('2028-01-01T00:00:00Z') });
  expect((await send(createBrowser(), { efirma: future })).answer.text).toContain('certform');
});

test('refuses an expired and a revoked e.firma', async () => {
  const expired = await issue({ vence: new Date('2025-06-30T00:00:00Z') });
  const past = await send(createBrowser(), { efirma: expired, fert: '250630000000Z' });
  expect(past.answer.text).toContain('certform');
  const revoked = await issue({});
  simulador.world.pki.revoke(revoked.numero);
  expect((await send(createBrowser(), { efirma: revoked })).answer.text).toContain('certform');
});

test('a challenge is good for one token', async () => {
  const browser = createBrowser();
  const { filled, action } = await send(browser);
  const again = await browser.post(action, filled);
  expect(load(again.text)('#msgError').text()).toContain('caducado');
});
