import { type Modo, SatError } from '@acuse/core';
import { generateApiKey } from '@acuse/vault';
import { describe, expect, it } from 'vitest';
import { type Alta, createKit, createKitWithAlta, type Kit, NOW, pideEstado, unknownKey } from '../../test/kit.ts';
import type { ApiDeps } from '../deps.ts';

describe('the bearer step', () => {
  it('takes the scheme in any letter case', async () => {
    const { kit, a } = await createKitWithAlta();
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${a.key}` };
      expect((await pideEstado(kit, a, { headers })).status).toBe(200);
    }
  });

  it('answers 401/1001 to everything that is not exactly one key', async () => {
    const kit = await createKit({ settings: { wrongKeysPerMinute: 1_000 } });
    const a = await kit.alta();
    const { key } = a;
    const basic = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    const wrong = [
      ...[null, '', 'Bearer', 'Bearer ', key, basic, `Token ${key}`, `Bearer  ${key}`, `Bearer\t${key}`],
      ...[`Bearer ${key} x`, `Bearer ${key},Bearer ${key}`, `Bearer ${key}, Bearer ${key}`, `Bearer "${key}"`],
      ...[`Bearer ${key.slice(0, -1)}`, `Bearer ${key}x`, `Bearer ${key.toUpperCase()}`, `Bearer ${unknownKey()}`],
    ];
    for (const authorization of wrong) {
      const answer = await pideEstado(kit, a, { headers: { authorization } });
      expect([authorization, answer.status, answer.json.cfdi_codigo]).toEqual([authorization, 401, 1001]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('answers 1001, not 1002, to a wrong secret of a revoked key', async () => {
    const { kit, a } = await createKitWithAlta();
    for (const estado of ['REEMPLAZADA', 'REVOCADA']) {
      await kit.update('api_key', a.keyId, { estado });
      expect((await pideEstado(kit, a)).json.cfdi_codigo).toBe(1002);
    }
    const forged = generateApiKey('test');
    await kit.update('api_key', a.keyId, { id: forged.keyId });
    expect((await pideEstado(kit, { ...a, key: forged.text })).json.cfdi_codigo).toBe(1001);
  });

  it('answers 403/1003 to every operation of a suspended account, before anything of the call is looked at', async () => {
    const { kit, a } = await createKitWithAlta();
    await kit.update('cuenta', a.cuentaId, { suspendida_en: NOW, suspension_motivo: 'impago' });
    for (const path of ['vault/firma-estado', 'tax/descarga-metadata', 'descarga/verificar']) {
      const answer = await kit.call(path, '{', { key: a.key });
      expect([path, answer.status, answer.json.cfdi_codigo]).toEqual([path, 403, 1003]);
    }
    await kit.update('cuenta', a.cuentaId, { suspendida_en: null, suspension_motivo: null });
    expect((await pideEstado(kit, a)).status).toBe(200);
  });

  it('never takes a key from the query or the body', async () => {
    const kit = await createKit();
    const { key, rfc } = await kit.alta();
    const path = `vault/firma-estado?api_key=${key}&access_token=${key}`;
    const keys = { rfc, api_key: key, access_token: key };
    expect((await kit.call(path, keys)).json['error']).toBe('PARAMETROS_EN_LA_DIRECCION');
    expect((await kit.call('vault/firma-estado', keys)).json.cfdi_codigo).toBe(1001);
  });

  it('answers wrong keys with 9429 after a number of them, by address, and right ones never', async () => {
    const { kit, a } = await createKitWithAlta({ settings: { wrongKeysPerMinute: 3 } });
    const ask = (key: string, from: string) => pideEstado(kit, a, { key, from });
    for (let count = 0; count < 3; count += 1) expect((await ask(unknownKey(), '192.0.2.1')).status).toBe(401);
    const limited = await ask(unknownKey(), '192.0.2.1');
    expect([limited.status, limited.json.cfdi_codigo]).toEqual([429, 9429]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(unknownKey(), '192.0.2.2')).status).toBe(401);
    expect((await ask(a.key, '192.0.2.1')).status).toBe(200);
  });
});

describe('the User-Agent step', () => {
  it('refuses none, a blank one and one over 512 characters with 403/6001', async () => {
    const { kit, a } = await createKitWithAlta();
    for (const agent of [null, '', ' ', 'x'.repeat(513)]) {
      const answer = await pideEstado(kit, a, { headers: { 'user-agent': agent } });
      expect([answer.status, answer.json.cfdi_codigo]).toEqual([403, 6001]);
    }
    expect((await pideEstado(kit, a, { headers: { 'user-agent': 'x'.repeat(512) } })).status).toBe(200);
  });

  it('obeys the lists of the operator, by prefix and in any letter case', async () => {
    const settings = { userAgentAllow: ['mi-erp/', 'curl'], userAgentDeny: ['curl/7'] };
    const { kit, a } = await createKitWithAlta({ settings });
    const ask = async (agent: string) => (await pideEstado(kit, a, { headers: { 'user-agent': agent } })).status;
    expect(await ask('Mi-ERP/2.1')).toBe(200);
    expect(await ask('curl/8.5')).toBe(200);
    expect(await ask('curl/7.1')).toBe(403);
    expect(await ask('otro/1')).toBe(403);
  });
});

describe("the caller's address", () => {
  const allow = ({ sql }: Kit, { contribuyenteId }: Alta, ...ips: string[]) =>
    sql`INSERT INTO ip_permitida SELECT ${contribuyenteId}, unnest(${ips}::text[])`;

  it('has to be on the list of the taxpayer when there is one', async () => {
    const { kit, a } = await createKitWithAlta({ settings: { trustedProxies: ['10.0.0.0/8'] } });
    await allow(kit, a, '192.0.2.0/24', '2001:db8::/32');
    const ask = async (from: string, forwarded: string | null = null) =>
      (await pideEstado(kit, a, { from, headers: { 'x-forwarded-for': forwarded } })).status;
    expect(await ask('192.0.2.7')).toBe(200);
    expect(await ask('::ffff:192.0.2.7')).toBe(200);
    expect(await ask('2001:db8::7')).toBe(200);
    expect(await ask('198.51.100.1')).toBe(403);
    expect(await ask('198.51.100.1', '192.0.2.7')).toBe(403);
    expect(await ask('10.0.0.1', '192.0.2.7')).toBe(200);
    expect(await ask('10.0.0.1', '192.0.2.7, 198.51.100.1')).toBe(403);
    expect(await ask('nonsense')).toBe(403);
  });

  it('refuses every address when the list cannot be read', async () => {
    const { kit, a } = await createKitWithAlta();
    await allow(kit, a, 'nonsense');
    expect((await pideEstado(kit, a)).json.cfdi_codigo).toBe(1003);
  });
});

describe('whom a key asks', () => {
  /** A kit whose authorities note who was asked, and answer nothing. */
  const newKit = async (modo: Modo, { hasPruebas = true } = {}) => {
    const asked: string[] = [];
    const sat = (name: string): ApiDeps['sat'] => ({
      send() {
        asked.push(name);
        return Promise.reject(new SatError('PETICION_RECHAZADA'));
      },
    });
    const { sesiones, opinionesPublicas, turnos, caminos, trust } = (await createKit()).deps;
    const pruebas = { sat: sat('pruebas'), sesiones, opinionesPublicas, turnos, caminos, trust };
    const deps = { sat: sat('settings'), pruebas: hasPruebas ? pruebas : null };
    return { asked, kit: await createKit({ settings: { modo }, deps }) };
  };
  const cfdi = { rfc_emisor: 'ACU200101DB1', rfc_receptor: 'ACU200101DB1', uuid: crypto.randomUUID(), total: 1 };

  it.each([
    ['live', 'live', 'settings', 'live'],
    ['live', 'test', 'pruebas', 'test'],
    ['test', 'test', 'settings', 'test'],
    ['test', 'live', 'settings', 'test'],
  ] as const)(
    'in an installation %s a key acuse_%s_ asks the authority of %s, and is told %s',
    async (of, modo, whom, told) => {
      const { asked, kit } = await newKit(of);
      const a = await kit.alta({ modo, saldo: 1 });
      const answer = await kit.call('descarga/consulta-cfdi', cfdi, { key: a.key });
      expect([answer.status, answer.headers.get('x-acuse-modo')]).toEqual([503, told]);
      expect(asked).toEqual([whom]);
      expect(await kit.movimientos(a)).toHaveLength(whom === 'pruebas' ? 0 : 2);
      expect((await kit.call('vault/firma-estado', {}, { key: unknownKey() })).headers.get('x-acuse-modo')).toBe(of);
    },
  );

  it('a test key with no credits left asks its simulator all the same', async () => {
    const { asked, kit } = await newKit('live');
    const { key } = await kit.alta({ saldo: 0 });
    expect((await kit.call('descarga/consulta-cfdi', cfdi, { key })).status).toBe(503);
    expect(asked).toEqual(['pruebas']);
  });

  it('asks no simulator for a test key when none is configured, and says what to do', async () => {
    const { asked, kit } = await newKit('live', { hasPruebas: false });
    const a = await kit.alta();
    for (const path of ['descarga/consulta-cfdi', 'descarga/listar', 'vault/rfc-guardar', 'tax/descarga-metadata']) {
      const { status, json, headers } = await kit.call(path, { ...cfdi, rfc: a.rfc }, { key: a.key });
      expect([path, status, json.cfdi_codigo, headers.get('x-acuse-modo')]).toEqual([path, 403, 1003, 'test']);
      expect(json.cfdi_texto).toMatch(/ni se cobró.*acuse_live_.*SAT_PRUEBAS_URL/);
    }
    expect([asked, await kit.movimientos(a)]).toEqual([[], []]);
  });
});

/** So slow that nothing comes back while a test runs. */
const SLOW = 0.001;

describe('the rate limit', () => {
  it('answers 429 with RateLimit and Retry-After when a key is past its burst, and counts every key by itself', async () => {
    const kit = await createKit({ settings: { rateLimitRps: SLOW, rateLimitBurst: 3 } });
    const [a, b] = [await kit.alta(), await kit.alta()];
    for (const remaining of [2, 1, 0]) {
      const answer = await pideEstado(kit, a);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"llave";r=${remaining};t=\\d+$`));
      expect(answer.headers.get('ratelimit-policy')).toBe('"llave";q=3;w=3000;acuse-alcance=proceso');
    }
    const limited = await pideEstado(kit, a);
    expect([limited.status, limited.json.cfdi_codigo]).toEqual([429, 9429]);
    const wait = Number(limited.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(limited.json.data).toEqual({ reintentar_en: wait });
    expect((await pideEstado(kit, b)).status).toBe(200);
  });

  it('counts a call once even when its steps run twice', async () => {
    const { kit, a } = await createKitWithAlta({ settings: { rateLimitRps: SLOW, rateLimitBurst: 10 } });
    const ask = () => kit.call('tax/descarga-metadata', { rfc: a.rfc }, { key: a.key });
    await ask();
    expect((await ask()).headers.get('ratelimit')).toMatch(/r=8;/);
  });

  it('is off with 0', async () => {
    const { kit, a } = await createKitWithAlta({ settings: { rateLimitRps: 0 } });
    const answer = await pideEstado(kit, a);
    expect(answer.headers.get('ratelimit')).toBeNull();
  });
});
