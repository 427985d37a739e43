import { load } from 'cheerio';
import { expect, test } from 'vitest';
import { checkFielToken } from '../nidp/login-desk.ts';
import { type Browser, createBrowser, readForm } from '../testing/browser.ts';
import { type FielChange, fielToken, sendFielPage } from '../testing/idp-client.ts';
import { FIEL_LOGIN } from '../testing/portal-client.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { createPki, type Efirma, type EfirmaOrder } from '../world/pki.ts';

const RFC = 'H&E951128469';
const FERT = '281231235958Z';
const simulador = await startForTests({}, new Date('2026-11-20T18:00:00Z'));
const base = simulador.url;
const efirma = await issue({});

function issue(change: Partial<EfirmaOrder>): Promise<Efirma> {
  const order = { rfc: RFC, nombre: 'HERRERÍA & ESPEJOS', password: '12345678a' };
  const dates = { desde: new Date('2025-01-01T00:00:00Z'), vence: new Date('2028-12-31T23:59:58Z') };
  return simulador.world.pki.issue({ ...order, ...dates, ...change });
}

type Attempt = FielChange & { efirma?: Efirma; rfc?: string; fert?: string };

async function send(browser: Browser, { efirma: used = efirma, rfc = RFC, fert = FERT, ...change }: Attempt = {}) {
  return sendFielPage(browser, await browser.get(base + FIEL_LOGIN), rfc, used, fert, change);
}

const isInside = (text: string) => load(text)('#ctl00_LblRfcAutenticado').text() === `RFC Autenticado: ${RFC}`;

test('a token signed by the e.firma opens the portal', async () => {
  const browser = createBrowser();
  const answer = await send(browser);
  expect(isInside((await browser.followForms(answer)).text)).toBe(true);
  expect(simulador.world.log.list({ operation: 'EntrarFiel' }).at(-1)?.rfc).toBe(RFC);
});

test('after the portal asked for a log-in, the answer is the federation form at once', async () => {
  const browser = createBrowser();
  await browser.followForms(await browser.get(`${base}/portalcfdi/ConsultaEmisor.aspx`));
  const answer = await send(browser);
  const { action, fields } = readForm(answer, 'form');
  expect([action, Object.keys(fields)]).toEqual([`${base}/portalcfdi/`, ['wa', 'wresult', 'wctx']]);
  const end = await browser.post(action, fields);
  expect(end.url).toBe(`${base}/portalcfdi/ConsultaEmisor.aspx`);
  expect(isInside(end.text)).toBe(true);
});

const NO_EFIRMA = 'El certificado no es una e.firma válida.';
const NOT_IN_FORCE = 'El certificado está revocado, caduco o aún no es vigente.';
const STALE = 'La página ha caducado, intente de nuevo.';
const refused: [string, () => Attempt | Promise<Attempt>, string][] = [
  [
    'a token that another key signed',
    async () => ({ signer: await issue({}) }),
    'El certificado, clave privada o contraseña de clave privada son inválidos.',
  ],
  ['a CSD', async () => ({ efirma: await issue({ csd: true }) }), NO_EFIRMA],
  ['another RFC', () => ({ rfc: 'EKU9003173C9' }), NO_EFIRMA],
  ['a wrong end date', () => ({ fert: '281231235959Z' }), NOT_IN_FORCE],
  ['an unknown challenge', () => ({ guid: 'inventado' }), STALE],
  ['an unknown challenge beside the token', () => ({ formGuid: 'otro' }), STALE],
  [
    'an e.firma before its first day',
    async () => ({ efirma: await issue({ desde: new Date('2028-01-01T00:00:00Z') }) }),
    NOT_IN_FORCE,
  ],
  [
    'an expired e.firma',
    async () => ({ efirma: await issue({ vence: new Date('2025-06-30T00:00:00Z') }), fert: '250630000000Z' }),
    NOT_IN_FORCE,
  ],
  [
    'a revoked e.firma',
    async () => {
      const revoked = await issue({});
      simulador.world.pki.revoke(revoked.numero);
      return { efirma: revoked };
    },
    NOT_IN_FORCE,
  ],
];

test.each(refused)('refuses %s and gives the page again', async (_, attempt, reason) => {
  const $ = load((await send(createBrowser(), await attempt())).text);
  expect($('#certform')).toHaveLength(1);
  expect($('#msgError').text()).toBe(reason);
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
  const form = { guid: 'reto', token: fielToken(`reto|${RFC}|${foreign.numero}`, foreign), fert: FERT };
  expect(await checkFielToken(world, form, 'reto')).toEqual({ reason: 'certificado' });
  expect(await checkFielToken(world, { ...form, token: 'x' }, 'reto')).toEqual({ reason: 'token' });
});

test('a challenge is good for one token', async () => {
  const browser = createBrowser();
  const page = await browser.get(base + FIEL_LOGIN);
  await sendFielPage(browser, page, RFC, efirma, FERT);
  const again = await sendFielPage(browser, page, RFC, efirma, FERT);
  expect(load(again.text)('#msgError').text()).toBe(STALE);
});
