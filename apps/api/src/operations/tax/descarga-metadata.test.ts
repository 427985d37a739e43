import { describe, expect, it } from 'vitest';
import { guardaEfirma } from '../../../test/consulta.ts';
import { type Alta, CIEC, createKitWithAlta, guardaCiec, type Kit, NOW, opener } from '../../../test/kit.ts';
import type { StoredSolicitud } from '../../../test/memory-store.ts';

const PATH = 'tax/descarga-metadata';
const ENERO = { tipo: 'recibidos', desde: '2026-01-01', hasta: '2026-01-31' };
const HOUR_MS = 3_600_000;

const ask = (kit: Kit, a: Alta, body: Record<string, unknown> = {}) =>
  kit.call(PATH, { rfc: a.rfc, ...ENERO, ...body }, { key: a.key });

function only(kit: Kit): StoredSolicitud & { sellada: NonNullable<StoredSolicitud['sellada']> } {
  const [solicitud, ...more] = kit.store.solicitudes.values();
  if (!solicitud?.sellada || more.length > 0) throw new Error('not exactly one sealed solicitud');
  return { ...solicitud, sellada: solicitud.sellada };
}

function openSealed(kit: Kit, a: Alta, tipo: 'ciec' | 'efirma') {
  const { vista, sellada } = only(kit);
  const contexto = { solicitudId: vista.id, cuenta: a.cuentaId, rfc: a.rfc, tipo, expiraEn: sellada.expiraEn };
  return opener.open(sellada.sobre, contexto);
}

describe(PATH, () => {
  it('accepts, charges one credit, wakes the relay and seals the CIEC until the deadline', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    const answer = await ask(kit, a);
    const solicitudId = answer.json.data?.['solicitud_id'];
    expect(answer.json.data).toEqual({ solicitud_id: expect.stringMatching(/^[0-9a-f-]{36}$/), estado: 'EN_PROCESO' });
    expect(kit.store.saldos.get(a.cuentaId)).toBe(9);
    expect(kit.woken()).toBe(1);
    const { vista, canal, sellada } = only(kit);
    expect([vista.id, canal, sellada.tipo, sellada.kid]).toEqual([solicitudId, 'portal', 'ciec', 'w1']);
    expect(sellada.expiraEn).toEqual(new Date(NOW.getTime() + 168 * HOUR_MS));
    const credencial = openSealed(kit, a, 'ciec');
    expect(credencial.tipo === 'ciec' && credencial.ciec.toString()).toBe(CIEC);
  });

  it('prefers a live e.firma, sealed no longer than its hour', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    await guardaEfirma(kit, a);
    expect((await ask(kit, a)).status).toBe(200);
    const { canal, sellada } = only(kit);
    expect([canal, sellada.tipo]).toEqual(['soap', 'efirma']);
    // The CIEC goes along, for the day that the SAT refuses the e.firma.
    expect(only(kit).otra).toMatchObject({ tipo: 'ciec', expiraEn: new Date(NOW.getTime() + 168 * HOUR_MS) });
    expect(sellada.expiraEn).toEqual(new Date(NOW.getTime() + HOUR_MS));
    expect(openSealed(kit, a, 'efirma').tipo).toBe('efirma');
  });

  it('falls back to the CIEC from the very second in which the hour of the key is over', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    await guardaEfirma(kit, a);
    kit.store.now = new Date(NOW.getTime() + HOUR_MS - 1);
    expect((await ask(kit, a)).status).toBe(200);
    kit.store.now = new Date(NOW.getTime() + HOUR_MS);
    expect((await ask(kit, a, { tipo: 'emitidos' })).status).toBe(200);
    expect([...kit.store.solicitudes.values()].map(({ canal }) => canal)).toEqual(['soap', 'portal']);
  });

  it('counts a stored credential that does not open as not stored', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    for (const row of kit.store.credenciales.values()) row.sobre[row.sobre.length - 1] = (row.sobre.at(-1) ?? 0) ^ 1;
    const answer = await ask(kit, a);
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([400, 4003]);
    expect(kit.store.solicitudes.size).toBe(0);
  });

  it.each([
    [{ tipo: 'otros' }, 'tipo'],
    [{ tipo: undefined }, 'tipo'],
    [{ desde: '2026-02-30' }, 'desde'],
    [{ desde: '01/01/2026' }, 'desde'],
    [{ desde: '2026-02-01' }, 'desde'],
    [{ desde: '2020-11-19' }, 'desde'],
    [{ hasta: '2026-11-21' }, 'hasta'],
    [{ hasta: null }, 'hasta'],
    [{ formato: 'xls' }, 'formato'],
    [{ formato: '' }, 'formato'],
    [{ formato: null }, 'formato'],
  ])('answers 2001 to %j', async (body, campo) => {
    const { kit, a } = await createKitWithAlta();
    const answer = await ask(kit, a, body);
    expect([answer.status, answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([400, 2001, campo]);
  });

  it('asks for csv unless another format is named; another format is another request', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    const ids = [];
    for (const body of [{}, { formato: 'csv' }, { formato: 'parquet' }, { formato: 'parquet' }, { formato: 'xlsx' }])
      ids.push((await ask(kit, a, body)).json.data?.['solicitud_id']);
    expect([ids[1], ids[3]]).toEqual([ids[0], ids[2]]);
    expect([...kit.store.solicitudes.values()].map(({ vista }) => vista.formato)).toEqual(['csv', 'parquet', 'xlsx']);
    expect(kit.store.saldos.get(a.cuentaId)).toBe(7);
  });

  it('says which formats there are', async () => {
    const { kit, a } = await createKitWithAlta();
    const { json } = await ask(kit, a, { formato: 'xls' });
    expect(json.data?.['motivo']).toBe('debe ser csv, xlsx, ndjson o parquet');
  });

  it('takes six years up to today', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    expect((await ask(kit, a, { desde: '2020-11-20', hasta: '2026-11-20' })).status).toBe(200);
  });
});
