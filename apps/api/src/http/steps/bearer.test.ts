import { generateApiKey } from '@acuse/vault';
import { describe, expect, it } from 'vitest';
import { alta, createKit, unknownKey } from '../../../test/kit.ts';

describe('the bearer step', () => {
  it('takes the scheme in any letter case', async () => {
    const kit = await createKit();
    const a = alta(kit.store);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${a.key}` };
      expect((await kit.call('vault/firma-estado', { rfc: a.rfc }, { headers })).status).toBe(200);
    }
  });

  it('answers 401/1001 to everything that is not exactly one key', async () => {
    const kit = await createKit({ settings: { wrongKeysPerMinute: 1_000 } });
    const { key, rfc } = alta(kit.store);
    const basic = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    const wrong = [
      ...[null, '', 'Bearer', 'Bearer ', key, basic, `Token ${key}`, `Bearer  ${key}`, `Bearer\t${key}`],
      ...[`Bearer ${key} x`, `Bearer ${key},Bearer ${key}`, `Bearer ${key}, Bearer ${key}`, `Bearer "${key}"`],
      ...[`Bearer ${key.slice(0, -1)}`, `Bearer ${key}x`, `Bearer ${key.toUpperCase()}`, `Bearer ${unknownKey()}`],
    ];
    for (const authorization of wrong) {
      const answer = await kit.call('vault/firma-estado', { rfc }, { headers: { authorization } });
      expect([authorization, answer.status, answer.json.cfdi_codigo]).toEqual([authorization, 401, 1001]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('answers 1001, not 1002, to a wrong secret of a revoked key', async () => {
    const kit = await createKit();
    const a = alta(kit.store);
    const stored = kit.store.keys.get(a.keyId);
    if (stored) stored.estado = 'REVOCADA';
    expect((await kit.call('vault/firma-estado', {}, { key: a.key })).json.cfdi_codigo).toBe(1002);
    const forged = generateApiKey('test');
    kit.store.keys.set(forged.keyId, {
      ...(stored ?? { hash: Buffer.alloc(32) }),
      id: forged.keyId,
    } as never);
    expect((await kit.call('vault/firma-estado', {}, { key: forged.text })).json.cfdi_codigo).toBe(1001);
  });

  it('a replaced key answers 1002 as well', async () => {
    const kit = await createKit();
    const a = alta(kit.store);
    const stored = kit.store.keys.get(a.keyId);
    if (stored) stored.estado = 'REEMPLAZADA';
    expect((await kit.call('vault/firma-estado', {}, { key: a.key })).json.cfdi_codigo).toBe(1002);
  });

  it('answers 403/1003 to every operation of a suspended account, before anything of the call is looked at', async () => {
    const kit = await createKit();
    const a = alta(kit.store);
    kit.store.suspendidas.add(a.cuentaId);
    for (const path of ['vault/firma-estado', 'tax/descarga-metadata', 'descarga/verificar']) {
      const answer = await kit.call(path, '{', { key: a.key });
      expect([path, answer.status, answer.json.cfdi_codigo]).toEqual([path, 403, 1003]);
    }
    kit.store.suspendidas.clear();
    expect((await kit.call('vault/firma-estado', { rfc: a.rfc }, { key: a.key })).status).toBe(200);
  });

  it('never takes a key from the query or the body', async () => {
    const kit = await createKit();
    const { key, rfc } = alta(kit.store);
    const path = `vault/firma-estado?api_key=${key}&access_token=${key}`;
    expect((await kit.call(path, { rfc, api_key: key, access_token: key })).json.cfdi_codigo).toBe(1001);
  });

  it('answers wrong keys with 9429 after a number of them, by address, and right ones never', async () => {
    const kit = await createKit({ settings: { wrongKeysPerMinute: 3 } });
    const a = alta(kit.store);
    const ask = async (key: string, from: string) => kit.call('vault/firma-estado', { rfc: a.rfc }, { key, from });
    for (let count = 0; count < 3; count += 1) expect((await ask(unknownKey(), '192.0.2.1')).status).toBe(401);
    const limited = await ask(unknownKey(), '192.0.2.1');
    expect([limited.status, limited.json.cfdi_codigo]).toEqual([429, 9429]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(unknownKey(), '192.0.2.2')).status).toBe(401);
    expect((await ask(a.key, '192.0.2.1')).status).toBe(200);
  });
});
