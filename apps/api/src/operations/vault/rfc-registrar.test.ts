import { describe, expect, it } from 'vitest';
import { alta, createKit } from '../../../test/kit.ts';

describe('vault/rfc-registrar', () => {
  it('associates the RFC with the calling key, once or many times, free of charge', async () => {
    const kit = await createKit();
    const a = alta(kit.store, { isRegistrada: false, saldo: 0 });
    const estado = async () => (await kit.call('vault/firma-estado', { rfc: a.rfc }, { key: a.key })).json;
    expect(await estado()).toMatchObject({
      cfdi_codigo: 1003,
      cfdi_texto: expect.stringContaining('rfc-registrar'),
    });
    for (let count = 0; count < 2; count += 1) {
      const { json } = await kit.call('vault/rfc-registrar', { rfc: a.rfc.toLowerCase() }, { key: a.key });
      expect(json).toEqual({ cfdi_codigo: 1, cfdi_texto: 'OK', data: { rfc: a.rfc } });
    }
    expect((await estado()).cfdi_codigo).toBe(1);
  });

  it('answers 1003 to the RFC of another', async () => {
    const kit = await createKit();
    const [a, b] = [alta(kit.store, { isRegistrada: false }), alta(kit.store)];
    const answer = await kit.call('vault/rfc-registrar', { rfc: b.rfc }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([403, 1003]);
    expect(kit.store.keys.get(a.keyId)?.isRegistrada).toBe(false);
  });

  it('keeps the idCIF when it is given', async () => {
    const kit = await createKit();
    const a = alta(kit.store);
    const idCif = () => kit.store.contribuyentes.get(a.contribuyenteId)?.idCif;
    await kit.call('vault/rfc-registrar', { rfc: a.rfc, id_cif: '15020034567' }, { key: a.key });
    await kit.call('vault/rfc-registrar', { rfc: a.rfc }, { key: a.key });
    expect(idCif()).toBe('15020034567');
    const answer = await kit.call('vault/rfc-registrar', { rfc: a.rfc, id_cif: '1502' }, { key: a.key });
    expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, 'id_cif']);
  });
});
