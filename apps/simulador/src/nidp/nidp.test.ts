import { once } from 'node:events';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPortalState } from '../portal/portal-state.ts';
import { createBrowser, readForm } from '../testing/browser.ts';
import { follow, isCiecPage } from '../testing/idp-client.ts';
import { defaultCiec } from '../testing/portal-client.ts';
import { formOf } from '../web/http.ts';
import { createWorld, type World } from '../world/world.ts';
import { createNidp, type Nidp } from './nidp.ts';

const RFC = 'SAM900101AB1';
let world: World;
let nidp: Nidp;
let server: Server;
let base: string;

beforeAll(async () => {
  world = await createWorld({ settings: { captcha: false } });
  nidp = createNidp(world, { prefijo: 'login', acceso: createPortalState(world).acceso });
  server = createAdaptorServer({ fetch: createServices().fetch }) as Server;
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
beforeEach(() => {
  world.clock.set(null);
  world.faults.remove();
});
afterAll(async () => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
});

/** Two services that trust the log-in host, and the host itself. */
function createServices(): Hono {
  const app = new Hono().route('/login', nidp.app);
  for (const servicio of ['uno', 'dos']) {
    app.get(`/${servicio}`, (c) => {
      const regreso = `${new URL(c.req.url).origin}/${servicio}/acs`;
      const { metodo, protocolo } = c.req.query();
      return c.redirect(
        nidp.loginUrl(c, {
          servicio,
          regreso,
          relayState: 'a "quoted" <state>',
          ...(metodo === 'efirma' && { metodo }),
          ...(protocolo === 'wsfed' && { protocolo, regreso: regreso.replace('/acs', '/') }),
        }),
      );
    });
    for (const path of ['/acs', '/:vacio{^$}']) {
      app.post(`/${servicio}${path}`, async (c) => {
        const form = await formOf(c);
        return c.json({
          fields: Object.keys(form),
          relayState: form['RelayState'] ?? form['wctx'],
          identity: nidp.redeem(form['SAMLResponse'] ?? form['wresult'] ?? '', servicio),
        });
      });
    }
  }
  return app;
}

async function enter(path: string, rfc = RFC) {
  const browser = createBrowser();
  const page = await follow(browser, await browser.get(base + path));
  expect(isCiecPage(page), page.text).toBe(true);
  const { action, fields } = readForm(page, '#IDPLogin');
  const filled = { ...fields, Ecom_User_ID: rfc, Ecom_Password: defaultCiec(rfc) };
  return { browser, page, answer: await browser.post(action, filled) };
}

const identity = { rfc: RFC, metodo: 'ciec' };

test('a service gets the taxpayer and its own state by SAML', async () => {
  const { browser, answer } = await enter('/uno');
  const { action, fields } = readForm(answer, 'form');
  expect(action).toBe(`${base}/uno/acs`);
  const { text } = await browser.post(action, fields);
  const state = 'a "quoted" <state>';
  expect(JSON.parse(text)).toEqual({ fields: ['SAMLResponse', 'RelayState'], relayState: state, identity });
});

test('an assertion is good once, for its service, unaltered, for fifteen minutes', async () => {
  const assertionFor = async () => {
    const { answer } = await enter('/uno');
    return readForm(answer, 'form').fields['SAMLResponse'] ?? '';
  };
  const used = await assertionFor();
  expect(nidp.redeem(used, 'dos')).toBeNull();
  expect(nidp.redeem(used, 'uno')).toEqual(identity);
  expect(nidp.redeem(used, 'uno')).toBeNull();
  const xml = Buffer.from(await assertionFor(), 'base64').toString();
  expect(nidp.redeem(Buffer.from(xml.replace(RFC, 'OTR900101AB1')).toString('base64'), 'uno')).toBeNull();
  const old = await assertionFor();
  world.clock.advance(15 * 60_000);
  expect(nidp.redeem(old, 'uno')).toBeNull();
});

test('a service may ask for the e.firma first', async () => {
  const browser = createBrowser();
  const page = await follow(browser, await browser.get(`${base}/uno?metodo=efirma`));
  expect(page.text).toContain('id="certform"');
});

test('no assertion leaves the simulator', async () => {
  const browser = createBrowser();
  const { action, fields } = { action: `${base}/login/nidp/saml2/sso`, fields: { RelayState: '' } };
  const xml =
    '<samlp:AuthnRequest AssertionConsumerServiceURL="https://ajeno.invalid/acs"><saml:Issuer>uno</saml:Issuer></samlp:AuthnRequest>';
  const SAMLRequest = Buffer.from(xml).toString('base64');
  expect((await browser.post(action, { ...fields, SAMLRequest })).status).toBe(400);
  expect((await browser.post(action, { ...fields, SAMLRequest: 'basura' })).status).toBe(400);
  const wtrealm = encodeURIComponent('https://ajeno.invalid');
  const federation = `${base}/login/nidp/wsfed/ep?wa=wsignin1.0&wtrealm=${wtrealm}&wctx=`;
  expect((await browser.get(federation)).status).toBe(400);
});

test('an unknown contract is refused', async () => {
  const browser = createBrowser();
  const page = await browser.get(`${base}/login/nidp/app/login?id=inventado&sid=0&option=credential&sid=0`);
  expect(page.status).toBe(400);
});

test('the session gets another id at the log-in, and ends at the log-out', async () => {
  const browser = createBrowser();
  const cookie = async () => (await browser.raw(`${base}/login/nidp/app?sid=0`)).headers.getSetCookie();
  const page = await follow(browser, await browser.get(`${base}/login/nidp/app?sid=0`));
  const before = await cookie();
  expect(await cookie()).toEqual(before);
  const { action, fields } = readForm(page, '#IDPLogin');
  await browser.post(action, { ...fields, Ecom_User_ID: RFC, Ecom_Password: defaultCiec(RFC) });
  expect((await browser.get(`${base}/login/nidp/app?sid=0`)).text).toContain(RFC);
  expect(await cookie()).not.toEqual(before);
  await browser.get(`${base}/login/nidp/app/plogout`);
  expect(isCiecPage(await follow(browser, await browser.get(`${base}/login/nidp/app?sid=0`)))).toBe(true);
});

test('a session ends after its idle minutes', async () => {
  const { browser } = await enter('/login/nidp/app?sid=0');
  world.clock.advance(14 * 60_000);
  expect((await browser.get(`${base}/login/nidp/app?sid=0`)).text).toContain(RFC);
  world.clock.advance(15 * 60_000);
  expect((await browser.get(`${base}/login/nidp/app?sid=0`)).text).not.toContain(RFC);
});

test('the page of the contract fiel is empty for a browser that does not say where it comes from', async () => {
  const address = `${base}/login/nidp/app/login?id=fiel&sid=0&option=credential&sid=0`;
  const browser = createBrowser();
  const unnamed = await browser.raw(address, { method: 'POST' });
  expect([unnamed.status, await unnamed.text()]).toEqual([200, '']);
  await browser.get(`${base}/login/nidp/app/login?id=ciec`);
  expect((await browser.post(address, {})).text).toContain('id="certform"');
});
