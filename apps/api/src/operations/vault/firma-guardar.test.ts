import { describe, expect, it } from 'vitest';
import { guardaEfirma } from '../../../test/consulta.ts';
import { efirmaDe, PASSWORD } from '../../../test/efirma.ts';
import { type Alta, createKitWithAlta, type Kit, NOW, opener } from '../../../test/kit.ts';

const PATH = 'vault/firma-guardar';
const HOUR_MS = 3_600_000;

const save = (kit: Kit, a: Alta, key: Buffer, password = PASSWORD) =>
  kit.call(PATH, { rfc: a.rfc, key: key.toString('base64'), password }, { key: a.key });
const register = (kit: Kit, a: Alta, cer: Buffer) =>
  kit.call('vault/firma-registrar', { rfc: a.rfc, cer: cer.toString('base64') }, { key: a.key });

/** The stored key with its shred key. */
const stored = async ({ sql }: Kit, { contribuyenteId }: Alta) =>
  (
    await sql<{ sobre: Buffer; shred: Buffer | null; expira_en: Date; no_serie: string }>`
      SELECT c.sobre, c.expira_en, c.no_serie, s.llave AS shred FROM credencial c LEFT JOIN efirma_shred s ON s.credencial_id = c.id
      WHERE c.contribuyente_id = ${contribuyenteId} AND c.tipo = 'efirma_key'`
  )[0];

describe(PATH, () => {
  it('stores the opened key, sealed, with its shred key, for one hour of the database', async () => {
    const { kit, a } = await createKitWithAlta({ deps: { now: () => new Date(NOW.getTime() - 5 * 60_000) } });
    const own = efirmaDe(a.rfc);
    await register(kit, a, own.cer);
    const { json } = await save(kit, a, own.key);
    const expiraEn = new Date(NOW.getTime() + HOUR_MS);
    expect(json.data).toEqual({ rfc: a.rfc, expira_en: expiraEn.toISOString() });
    const row = await stored(kit, a);
    expect(row).toMatchObject({ expira_en: expiraEn, no_serie: own.noSerie });
    expect(row?.shred).toHaveLength(32);
    for (const secret of [own.pair.pkcs8, own.key, Buffer.from(PASSWORD)]) {
      expect(row?.sobre.includes(secret.subarray(0, 24))).toBe(false);
    }
  });

  it('leaves the shred key out when the operator says so', async () => {
    const { kit, a } = await createKitWithAlta({ settings: { efirmaShred: false } });
    await guardaEfirma(kit, a);
    expect(await stored(kit, a)).toMatchObject({ shred: null });
  });

  it('never outlives its certificate', async () => {
    const { kit, a } = await createKitWithAlta();
    const own = efirmaDe(a.rfc, { to: '2026-11-20T18:30:00Z' });
    await register(kit, a, own.cer);
    expect((await save(kit, a, own.key)).json.data?.['expira_en']).toBe('2026-11-20T18:30:00.000Z');
    await kit.setNow(new Date('2026-11-20T18:30:00Z'));
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
    await kit.update('solicitud', id, { estado: 'ESPERA_EFIRMA' });
    await kit.sql`DELETE FROM credencial_sellada WHERE solicitud_id = ${id}`;
    await kit.setNow(new Date(NOW.getTime() + 90 * 60_000));

    await guardaEfirma(kit, a);
    const [resumed] = await kit.sql<{ estado: string; expira_en: Date; sobre: Buffer }>`
      SELECT s.estado, c.expira_en, c.sobre FROM solicitud s JOIN credencial_sellada c ON c.solicitud_id = s.id WHERE s.id = ${id}`;
    const expiraEn = new Date(NOW.getTime() + 2 * HOUR_MS);
    expect([resumed?.estado, resumed?.expira_en, kit.woken()]).toEqual(['EN_PROCESO', expiraEn, 1]);
    const contexto = { solicitudId: id, cuenta: a.cuentaId, rfc: a.rfc, tipo: 'efirma', expiraEn } as const;
    expect(opener.open(resumed?.sobre ?? Buffer.alloc(0), contexto).tipo).toBe('efirma');
  });
});
