import { randomBytes } from 'node:crypto';
import { load } from 'cheerio';
import { expect, test } from 'vitest';
import { CLIENTE_32D } from '../ptsc32d/sign-in.ts';
import { type Browser, createBrowser, readForm } from '../testing/browser.ts';
import { defaultCiec } from '../testing/portal-client.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { createClock } from '../world/clock.ts';
import { challengeOf, createGrants } from './oauth.ts';

const RFC = 'OAU900101AB1';
const verifier = randomBytes(48).toString('base64url');
const simulador = await startForTests({ settings: { captcha: false } });
const base = simulador.url;
const redirectUri = base + CLIENTE_32D.redirectPath;

/** The address of a request for a code; a null in `change` leaves the parameter out. */
function authz(change: Record<string, string | null> = {}): string {
  const query = {
    client_id: CLIENTE_32D.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid mscontribuyente',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    response_mode: 'form_post',
    nonce: 'nonce',
    state: 'estado & más',
    ...change,
  };
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
  return `${base}/loginda/nidp/oauth/nam/authz?${new URLSearchParams(given)}`;
}

async function insideBrowser(): Promise<Browser> {
  const browser = createBrowser();
  const page = await browser.get(`${base}/loginda/nidp/app/login?id=ciec&sid=0&option=credential&sid=0`);
  const { action, fields } = readForm(page, '#IDPLogin');
  await browser.post(action, { ...fields, Ecom_User_ID: RFC, Ecom_Password: defaultCiec(RFC) });
  return browser;
}

async function codeOf(browser: Browser, change: Record<string, string | null> = {}): Promise<string> {
  const { text } = await browser.get(authz(change));
  return load(text)('form input[name=code]').attr('value') ?? '';
}

async function exchange(code: string, change: Record<string, string> = {}) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: CLIENTE_32D.clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
    ...change,
  });
  const response = await fetch(`${base}/loginda/nidp/oauth/nam/token`, { method: 'POST', body });
  const answer = (await response.json()) as Record<string, string | number>;
  return { status: response.status, headers: response.headers, answer };
}

function useToken(token: unknown): Promise<Response> {
  return fetch(`${base}/ptsc32d/RespuestaCompleta/ObtenerRespuestaCompletaPdf`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: '{}',
  });
}

test('a browser that is inside gets a code and its state back, in a form', async () => {
  const page = await (await insideBrowser()).get(authz());
  const { action, fields } = readForm(page, 'form');
  expect(action).toBe(redirectUri);
  expect(fields).toMatchObject({ state: 'estado & más' });
  expect(fields['code']).toMatch(/^[\w-]{43}$/);
});

test('without response_mode the code comes in the address', async () => {
  const browser = await insideBrowser();
  const response = await browser.raw(authz({ response_mode: null, state: null }));
  const location = new URL(response.headers.get('location') ?? '');
  expect(location.origin + location.pathname).toBe(redirectUri);
  expect([...location.searchParams.keys()]).toEqual(['code']);
});

test('a code is exchanged for a token, which opens the application', async () => {
  const { status, headers, answer } = await exchange(await codeOf(await insideBrowser()));
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(answer).toMatchObject({ token_type: 'bearer', scope: 'openid mscontribuyente', expires_in: 1200 });
  expect((await useToken(answer['access_token'])).status).toBe(400);
  expect((await useToken('otro')).status).toBe(401);
});

test('a token ends after twenty minutes', async () => {
  const { answer } = await exchange(await codeOf(await insideBrowser()));
  simulador.world.clock.advance(20 * 60_000);
  expect((await useToken(answer['access_token'])).status).toBe(401);
});

test('a code that comes twice is refused, and ends the token that it gave', async () => {
  const code = await codeOf(await insideBrowser());
  const { answer } = await exchange(code);
  expect((await exchange(code)).answer).toMatchObject({ error: 'invalid_grant' });
  expect((await useToken(answer['access_token'])).status).toBe(401);
});

test.each([
  ['an unknown code', { code: 'inventado' }],
  ['another verifier', { code_verifier: randomBytes(48).toString('base64url') }],
  ['another address', { redirect_uri: 'http://127.0.0.1/otra' }],
])('%s is invalid_grant', async (_, change) => {
  const { status, answer } = await exchange(await codeOf(await insideBrowser()), change);
  expect([status, answer['error']]).toEqual([400, 'invalid_grant']);
});

test('the challenge itself does not serve as verifier: plain is not taken', async () => {
  const code = await codeOf(await insideBrowser());
  const { answer } = await exchange(code, { code_verifier: challengeOf(verifier) });
  expect(answer['error']).toBe('invalid_grant');
});

test('a code ends after a minute', async () => {
  const code = await codeOf(await insideBrowser());
  simulador.world.clock.advance(60_000);
  expect((await exchange(code)).answer['error']).toBe('invalid_grant');
});

test('the token end point names the fault', async () => {
  const code = await codeOf(await insideBrowser());
  const refusals = [];
  for (const change of [{ client_id: 'otro' }, { grant_type: 'password' }, { code_verifier: 'corto' }, { code: '' }]) {
    const { status, answer } = await exchange(code, change);
    refusals.push([status, answer['error']]);
  }
  expect(refusals).toEqual([
    [401, 'invalid_client'],
    [400, 'unsupported_grant_type'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
  ]);
  expect((await exchange(code)).status).toBe(200);
});

test('a request of an unknown client, or with a foreign address, is not sent anywhere', async () => {
  const browser = await insideBrowser();
  for (const change of [
    { client_id: 'otro' },
    { redirect_uri: 'https://ajeno.invalid/callback' },
    { redirect_uri: `${redirectUri}/mas` },
  ]) {
    const response = await browser.raw(authz(change));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(load(await response.text())('form')).toHaveLength(0);
  }
});

test.each([
  ['unsupported_response_type', { response_type: 'token' }],
  ['invalid_request', { response_type: null }],
  ['invalid_scope', { scope: 'openid todo' }],
  ['invalid_request', { code_challenge: null }],
  ['invalid_request', { code_challenge_method: 'plain' }],
  ['invalid_request', { code_challenge_method: null }],
])('the client is told %s, with its state', async (error, change) => {
  const page = await (await insideBrowser()).get(authz(change));
  const { action, fields } = readForm(page, 'form');
  expect(action).toBe(redirectUri);
  expect(fields).toMatchObject({ error, state: 'estado & más' });
  expect(fields['code']).toBeUndefined();
});

test('a code is of no use to another client', () => {
  const grants = createGrants(createClock());
  const grant = { rfc: RFC, metodo: 'ciec', clientId: 'uno', scope: 'openid' } as const;
  const code = grants.issueCode(grant, { redirectUri, codeChallenge: challengeOf(verifier) });
  expect(grants.exchange(code, { clientId: 'dos', redirectUri, verifier })).toBeNull();
  expect(grants.exchange(code, { clientId: 'uno', redirectUri, verifier })?.grant).toEqual(grant);
});
