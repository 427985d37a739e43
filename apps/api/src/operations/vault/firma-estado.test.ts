import { describe, expect, it } from 'vitest';
import { guardaEfirma } from '../../../test/consulta.ts';
import { createKitWithAlta, NOW, pideEstado } from '../../../test/kit.ts';
import { credencialKey } from '../../../test/memory-store.ts';

describe('vault/firma-estado', () => {
  it('follows the e.firma from nothing to expired', async () => {
    const { kit, a } = await createKitWithAlta();
    const look = async () => (await pideEstado(kit, a)).json.data;
    const none = { rfc: a.rfc, tiene_cer: false, tiene_key: false, vigente: false, advertencias: [], rechazos: [] };
    expect(await look()).toEqual({ ...none, expira_en: null, key_expira_en: null });
    await guardaEfirma(kit, a);
    const ends = { expira_en: '2028-06-01T00:00:00.000Z', key_expira_en: '2026-11-20T19:00:00.000Z' };
    const whole = { ...none, tiene_cer: true, tiene_key: true, vigente: true, ...ends };
    expect(await look()).toEqual(whole);
    kit.store.now = new Date(NOW.getTime() + 3_600_000 - 1);
    expect(await look()).toEqual(whole);
    kit.store.now = new Date(NOW.getTime() + 3_600_000);
    expect(await look()).toEqual({ ...whole, tiene_key: false, key_expira_en: null });
    kit.store.now = new Date('2028-06-01T00:00:00Z');
    expect(await look()).toEqual({ ...whole, tiene_key: false, key_expira_en: null, vigente: false });
  });

  it('reports the true state when the shred key was lost and when the SAT refused the certificate', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaEfirma(kit, a);
    const rowOf = (tipo: 'efirma_key' | 'efirma_cer') =>
      kit.store.credenciales.get(credencialKey(a.contribuyenteId, tipo));
    const look = async () => (await pideEstado(kit, a)).json.data;
    const key = rowOf('efirma_key');
    if (key) Reflect.deleteProperty(key, 'shred');
    expect(await look()).toMatchObject({ tiene_cer: true, tiene_key: false, vigente: true });
    const cer = rowOf('efirma_cer');
    const desde = kit.store.now.toISOString();
    if (cer) cer.rechazadaEn.soap = kit.store.now;
    expect(await look()).toMatchObject({ vigente: true, rechazos: [{ canal: 'soap', desde }] });
    if (cer) cer.rechazadaEn.portal = kit.store.now;
    const both = [
      { canal: 'soap', desde },
      { canal: 'portal', desde },
    ];
    expect(await look()).toMatchObject({ vigente: false, rechazos: both });
    await guardaEfirma(kit, a);
    expect(await look()).toMatchObject({ vigente: true, rechazos: [] });
  });
});
