import { describe, expect, it } from 'vitest';
import { guardaEfirma } from '../../../test/consulta.ts';
import { createKit, createKitWithAlta, guardaCiec, pideEstado } from '../../../test/kit.ts';

describe('vault/rfc-registrar', () => {
  it('associates the RFC with the calling key, once or many times, free of charge', async () => {
    const { kit, a } = await createKitWithAlta({}, { isRegistrada: false, saldo: 0 });
    await guardaCiec(kit, a);
    const consulta = async () => (await kit.call('tax/notificaciones', { rfc: a.rfc }, { key: a.key })).json;
    expect(await consulta()).toMatchObject({ cfdi_codigo: 1003, cfdi_texto: expect.stringContaining('rfc-registrar') });
    for (let count = 0; count < 2; count += 1) {
      const { json } = await kit.call('vault/rfc-registrar', { rfc: a.rfc.toLowerCase() }, { key: a.key });
      expect(json).toEqual({ cfdi_codigo: 1, cfdi_texto: 'OK', data: { rfc: a.rfc } });
    }
    expect((await consulta()).cfdi_codigo).toBe(1004);
  });

  it('is not needed before credentials are stored and looked at, for the own RFC of the key only', async () => {
    const kit = await createKit();
    const [a, b] = [await kit.alta({ isRegistrada: false }), await kit.alta()];
    await guardaCiec(kit, a);
    await guardaEfirma(kit, a);
    expect((await pideEstado(kit, a)).json.data).toMatchObject({ tiene_cer: true, tiene_key: true });
    for (const rfc of [b.rfc, 'ZZZ200101AB1']) {
      await expect(guardaCiec(kit, { ...a, rfc })).rejects.toThrow('"cfdi_codigo":1003');
      await expect(guardaEfirma(kit, { ...a, rfc })).rejects.toThrow('"cfdi_codigo":1003');
      expect((await pideEstado(kit, { ...a, rfc })).json.cfdi_codigo).toBe(1003);
      expect((await kit.call('vault/rfc-registrar', { rfc }, { key: a.key })).json.cfdi_codigo).toBe(1003);
    }
    const [llave] = await kit.sql`SELECT registrada_en FROM api_key WHERE id = ${a.keyId}`;
    expect(llave).toEqual({ registrada_en: null });
  });

  it('keeps the idCIF when it is given', async () => {
    const { kit, a } = await createKitWithAlta();
    await kit.call('vault/rfc-registrar', { rfc: a.rfc, id_cif: '15020034567' }, { key: a.key });
    await kit.call('vault/rfc-registrar', { rfc: a.rfc }, { key: a.key });
    const [taxpayer] = await kit.sql`SELECT id_cif FROM contribuyente WHERE id = ${a.contribuyenteId}`;
    expect(taxpayer).toEqual({ id_cif: '15020034567' });
    const answer = await kit.call('vault/rfc-registrar', { rfc: a.rfc, id_cif: '1502' }, { key: a.key });
    expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, 'id_cif']);
  });
});
