import { describe, expect, it } from 'vitest';
import { alta, createKit } from '../../../test/kit.ts';

describe('the User-Agent step', () => {
  it('refuses none, a blank one and one over 512 characters with 403/6001', async () => {
    const kit = await createKit();
    const a = alta(kit.store);
    for (const agent of [null, '', ' ', 'x'.repeat(513)]) {
      const answer = await kit.call(
        'vault/firma-estado',
        { rfc: a.rfc },
        { key: a.key, headers: { 'user-agent': agent } },
      );
      expect([answer.status, answer.json.cfdi_codigo]).toEqual([403, 6001]);
    }
    const longest = { key: a.key, headers: { 'user-agent': 'x'.repeat(512) } };
    expect((await kit.call('vault/firma-estado', { rfc: a.rfc }, longest)).status).toBe(200);
  });

  it('obeys the lists of the operator, by prefix and in any letter case', async () => {
    const settings = { userAgentAllow: ['mi-erp/', 'curl'], userAgentDeny: ['curl/7'] };
    const kit = await createKit({ settings });
    const a = alta(kit.store);
    const ask = async (agent: string) =>
      (await kit.call('vault/firma-estado', { rfc: a.rfc }, { key: a.key, headers: { 'user-agent': agent } })).status;
    expect(await ask('Mi-ERP/2.1')).toBe(200);
    expect(await ask('curl/8.5')).toBe(200);
    expect(await ask('curl/7.1')).toBe(403);
    expect(await ask('otro/1')).toBe(403);
  });
});

describe("the caller's address", () => {
  it('has to be on the list of the taxpayer when there is one', async () => {
    const kit = await createKit({ settings: { trustedProxies: ['10.0.0.0/8'] } });
    const a = alta(kit.store);
    const contribuyente = kit.store.contribuyentes.get(a.contribuyenteId);
    if (contribuyente) contribuyente.ips = ['192.0.2.0/24', '2001:db8::/32'];
    const ask = async (from: string, forwarded: string | null = null) =>
      (
        await kit.call(
          'vault/firma-estado',
          { rfc: a.rfc },
          { key: a.key, from, headers: { 'x-forwarded-for': forwarded } },
        )
      ).status;
    expect(await ask('192.0.2.7')).toBe(200);
    expect(await ask('::ffff:192.0.2.7')).toBe(200);
    expect(await ask('2001:db8::7')).toBe(200);
    expect(await ask('198.51.100.1')).toBe(403);
    expect(await ask('198.51.100.1', '192.0.2.7')).toBe(403);
    expect(await ask('10.0.0.1', '192.0.2.7')).toBe(200);
    expect(await ask('10.0.0.1', '192.0.2.7, 198.51.100.1')).toBe(403);
    expect(await ask('nonsense')).toBe(403);
  });

  it('a list of which nothing can be read lets nobody in', async () => {
    const kit = await createKit();
    const a = alta(kit.store);
    const contribuyente = kit.store.contribuyentes.get(a.contribuyenteId);
    if (contribuyente) contribuyente.ips = ['nonsense'];
    expect((await kit.call('vault/firma-estado', { rfc: a.rfc }, { key: a.key })).json.cfdi_codigo).toBe(1003);
  });
});

/** So slow that nothing comes back while a test runs. */
const SLOW = 0.001;

describe('the rate limit', () => {
  it('answers 429 with RateLimit and Retry-After when a key is past its burst, and counts every key by itself', async () => {
    const kit = await createKit({ settings: { rateLimitRps: SLOW, rateLimitBurst: 3 } });
    const [a, b] = [alta(kit.store), alta(kit.store)];
    const ask = (who: typeof a) => kit.call('vault/firma-estado', { rfc: who.rfc }, { key: who.key });
    for (const remaining of [2, 1, 0]) {
      const answer = await ask(a);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"llave";r=${remaining};t=\\d+$`));
      expect(answer.headers.get('ratelimit-policy')).toBe('"llave";q=3;w=3000');
    }
    const limited = await ask(a);
    expect([limited.status, limited.json.cfdi_codigo]).toEqual([429, 9429]);
    const wait = Number(limited.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(limited.json.data).toEqual({ reintentar_en: wait });
    expect((await ask(b)).status).toBe(200);
  });

  it('counts a call once even when its steps run twice', async () => {
    const kit = await createKit({ settings: { rateLimitRps: SLOW, rateLimitBurst: 10 } });
    const a = alta(kit.store);
    const ask = () => kit.call('tax/descarga-metadata', { rfc: a.rfc }, { key: a.key });
    await ask();
    expect((await ask()).headers.get('ratelimit')).toMatch(/r=8;/);
  });

  it('is off with 0', async () => {
    const kit = await createKit({ settings: { rateLimitRps: 0 } });
    const a = alta(kit.store);
    const answer = await kit.call('vault/firma-estado', { rfc: a.rfc }, { key: a.key });
    expect(answer.headers.get('ratelimit')).toBeNull();
  });
});
