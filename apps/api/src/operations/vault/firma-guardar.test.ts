import { describe, expect, it } from 'vitest';
import { guardaEfirma } from '../../../test/consulta.ts';
import { efirmaDe, PASSWORD } from '../../../test/efirma.ts';
import { type Alta, createKitWithAlta, type Kit, NOW, opener } from '../../../test/kit.ts';
import { credencialKey } from '../../../test/memory-store.ts';

const PATH = 'vault/firma-guardar';
const HOUR_MS = 3_600_000;

const save = (kit: Kit, a: Alta, key: Buffer, password = PASSWORD) =>
  kit.call(PATH, { rfc: a.rfc, key: key.toString('base64'), password }, { key: a.key });
const register = (kit: Kit, a: Alta, cer: Buffer) =>
  kit.call('vault/firma-registrar', { rfc: a.rfc, cer: cer.toString('base64') }, { key: a.key });

describe(PATH, () => {
  it('stores the opened key, sealed, with its shred key, for one hour of the database', async () => {
    const { kit, a } = await createKitWithAlta({ deps: { now: () => new Date(NOW.getTime() - 5 * 60_000) } });
    const own = efirmaDe(a.rfc);
    await register(kit, a, own.cer);
    const { json } = await save(kit, a, own.key);
    const expiraEn = new Date(NOW.getTime() + HOUR_MS);
    expect(json.data).toEqual({ rfc: a.rfc, expira_en: expiraEn.toISOString() });
    const row = kit.store.credenciales.get(credencialKey(a.contribuyenteId, 'efirma_key'));
    expect(row).toMatchObject({ expiraEn, noSerie: own.noSerie });
    expect(row?.shred).toHaveLength(32);
    for (const secret of [own.pair.pkcs8, own.key, Buffer.from(PASSWORD)]) {
      expect(row?.sobre.includes(secret.subarray(0, 24))).toBe(false);
    }
  });

  it('leaves the shred key out when the operator says so', async () => {
    const { kit, a } = await createKitWithAlta({ settings: { efirmaShred: false } });
    await guardaEfirma(kit, a);
    expect(kit.store.credenciales.get(credencialKey(a.contribuyenteId, 'efirma_key'))?.shred).toBeUndefined();
  });

  it('never outlives its certificate', async () => {
    const { kit, a } = await createKitWithAlta();
    const own = efirmaDe(a.rfc, { to: '2026-11-20T18:30:00Z' });
    await register(kit, a, own.cer);
    expect((await save(kit, a, own.key)).json.data?.['expira_en']).toBe('2026-11-20T18:30:00.000Z');
    kit.store.now = new Date('2026-11-20T18:30:00Z');
    const late = await save(kit, a, own.key);
    expect([late.json.cfdi_codigo, late.json.data?.['motivo']]).toEqual([4002, expect.stringContaining('venció')]);
  });

  it.each([{ key: undefined }, { key: '***' }, { key: 1 }, { password: undefined }, { password: '' }, { password: 1 }])(
    'answers 2001 to %j',
    async (change) => {
      const { kit, a } = await createKitWithAlta();
      const body = { rfc: a.rfc, key: 'AAAA', password: 'x', ...change };
      const answer = await kit.call(PATH, body, { key: a.key });
      expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, Object.keys(change)[0]]);
    },
  );

  it('hands the key to the solicitudes that go through the e.firma, no longer than they live, and wakes the relay', async () => {
    const { kit, a } = await createKitWithAlta({ settings: { deadlineHours: 2 } });
    await guardaEfirma(kit, a);
    const body = { rfc: a.rfc, tipo: 'emitidos', desde: '2026-01-01', hasta: '2026-01-31' };
    const id = String((await kit.call('tax/descarga-metadata', body, { key: a.key })).json.data?.['solicitud_id']);
    const solicitud = kit.store.solicitudes.get(id);
    if (!solicitud) throw new Error('no solicitud');
    solicitud.vista = { ...solicitud.vista, estado: 'ESPERA_EFIRMA' };
    solicitud.sellada = null;
    kit.store.now = new Date(NOW.getTime() + 90 * 60_000);

    await guardaEfirma(kit, a);
    const resumed = kit.store.solicitudes.get(id);
    const expiraEn = new Date(NOW.getTime() + 2 * HOUR_MS);
    expect([resumed?.vista.estado, resumed?.sellada?.expiraEn, kit.woken()]).toEqual(['EN_PROCESO', expiraEn, 2]);
    const contexto = { solicitudId: id, cuenta: a.cuentaId, rfc: a.rfc, tipo: 'efirma', expiraEn } as const;
    expect(opener.open(resumed?.sellada?.sobre ?? Buffer.alloc(0), contexto).tipo).toBe('efirma');
  });
});
