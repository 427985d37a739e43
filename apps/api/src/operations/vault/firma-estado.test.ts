import { describe, expect, it } from 'vitest';
import { guardaEfirma } from '../../../test/consulta.ts';
import { createKitWithAlta, NOW, pideEstado } from '../../../test/kit.ts';

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
    await kit.setNow(new Date(NOW.getTime() + 3_600_000 - 1));
    expect(await look()).toEqual(whole);
    await kit.setNow(new Date(NOW.getTime() + 3_600_000));
    expect(await look()).toEqual({ ...whole, tiene_key: false, key_expira_en: null });
    await kit.setNow(new Date('2028-06-01T00:00:00Z'));
    expect(await look()).toEqual({ ...whole, tiene_key: false, key_expira_en: null, vigente: false });
  });

  it('reports the true state when the shred key was lost and when the SAT refused the certificate', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaEfirma(kit, a);
    const refuse = (column: string) =>
      kit.pool.query(`UPDATE credencial SET ${column} = now() WHERE contribuyente_id = $1 AND tipo = 'efirma_cer'`, [
        a.contribuyenteId,
      ]);
    const look = async () => (await pideEstado(kit, a)).json.data;
    await kit.sql`DELETE FROM efirma_shred s USING credencial c WHERE c.id = s.credencial_id AND c.contribuyente_id = ${a.contribuyenteId}`;
    expect(await look()).toMatchObject({ tiene_cer: true, tiene_key: false, vigente: true });
    const desde = kit.now().toISOString();
    await refuse('rechazada_soap_en');
    expect(await look()).toMatchObject({ vigente: true, rechazos: [{ canal: 'soap', desde }] });
    await refuse('rechazada_portal_en');
    const both = [
      { canal: 'soap', desde },
      { canal: 'portal', desde },
    ];
    expect(await look()).toMatchObject({ vigente: false, rechazos: both });
    await guardaEfirma(kit, a);
    expect(await look()).toMatchObject({ vigente: true, rechazos: [] });
  });
});
