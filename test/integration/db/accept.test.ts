import {
  CANAL_OUTBOX,
  createAccessSnapshots,
  createClaims,
  createLlaves,
  createSolicitudes,
  listenTo,
} from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { describe, expect, it } from 'vitest';
import {
  acceptSolicitud,
  brokenInvariants,
  newLlave,
  newSolicitud,
  PAQUETE,
  seedTaxpayer,
  type Taxpayer,
  useDatabase,
} from '../fixtures/database.ts';
import { claimOf } from '../fixtures/features.ts';

const t = useDatabase();

const count = async (table: string, id: string, column = 'solicitud_id') =>
  (await t.db.pool.query(`SELECT count(*)::int AS n FROM ${table} WHERE ${column} = $1`, [id])).rows[0].n;

describe('accepting a solicitud', () => {
  it('writes debit, solicitud, ledger row, sealed credential and wake-up together', async () => {
    const taxpayer = await seedTaxpayer(t.db, { saldo: 3 });
    const id = await newSolicitud(t.db, taxpayer);
    expect((await createAccessSnapshots(t.db).load(taxpayer.apiKeyId))?.saldo).toBe(2);
    expect(await count('movimiento', id)).toBe(1);
    expect(await count('credencial_sellada', id)).toBe(1);
    expect(await count('outbox', id)).toBe(1);
    const vista = await createSolicitudes(t.db).find(taxpayer.contribuyenteId, id);
    expect(vista).toMatchObject({
      estado: 'EN_PROCESO',
      desde: '2025-01-01',
      hasta: '2025-03-31',
      progreso: 0,
      intentos: 0,
      registros: null,
    });
  });

  it('notifies the relay at its commit', async () => {
    const taxpayer = await seedTaxpayer(t.db, { saldo: 3 });
    let heard = 0;
    const listening = await listenTo(t.db.settings, CANAL_OUTBOX, () => {
      heard += 1;
    });
    // The first is for the connection.
    await expect.poll(() => heard).toBe(1);
    await newSolicitud(t.db, taxpayer);
    await expect.poll(() => heard).toBe(2);
    await listening.close();
  });

  it('writes nothing when the balance is too low', async () => {
    const taxpayer = await seedTaxpayer(t.db, { saldo: 0 });
    expect(await acceptSolicitud(t.db, taxpayer)).toEqual({ resultado: 'SALDO_INSUFICIENTE' });
    expect(await count('solicitud', taxpayer.contribuyenteId, 'contribuyente_id')).toBe(0);
  });

  it('answers an equal open one and charges once, also under a race of 40', async () => {
    const taxpayer = await seedTaxpayer(t.db, { saldo: 5 });
    const results = await Promise.all(Array.from({ length: 40 }, () => acceptSolicitud(t.db, taxpayer)));
    expect(results.filter((r) => r.resultado === 'ACEPTADA')).toHaveLength(1);
    expect(results.filter((r) => r.resultado === 'DUPLICADA')).toHaveLength(39);
    expect((await createAccessSnapshots(t.db).load(taxpayer.apiKeyId))?.saldo).toBe(4);
  });

  it('never lets the balance below zero under a race of different ones', async () => {
    const taxpayer = await seedTaxpayer(t.db, { saldo: 7 });
    const days = Array.from({ length: 30 }, (_, i) => `2025-01-${String(i + 1).padStart(2, '0')}`);
    const results = await Promise.all(days.map((day) => acceptSolicitud(t.db, taxpayer, { desde: day, hasta: day })));
    expect(results.filter((r) => r.resultado === 'ACEPTADA')).toHaveLength(7);
    expect(results.filter((r) => r.resultado === 'SALDO_INSUFICIENTE')).toHaveLength(23);
    expect((await createAccessSnapshots(t.db).load(taxpayer.apiKeyId))?.saldo).toBe(0);
  });

  it('answers the solicitud that the same Idempotency-Key made, even when it has ended', async () => {
    const taxpayer = await seedTaxpayer(t.db);
    const solicitudId = await newSolicitud(t.db, taxpayer, { idemKey: 'abc' });
    await createClaims(t.db).finish(await claimOf(t.db, solicitudId), PAQUETE);
    const second = await acceptSolicitud(t.db, taxpayer, { idemKey: 'abc', hasta: '2025-02-28' });
    expect(second).toEqual({ resultado: 'DUPLICADA', estado: 'TERMINADA', solicitudId });
  });

  it.each<[string, (taxpayer: Taxpayer) => Promise<unknown>]>([
    [
      'its key is replaced',
      ({ contribuyenteId }) =>
        createLlaves(t.db).activate({ contribuyenteId, llave: newLlave(), actor: 'p', ip: null }),
    ],
    ['its key is revoked', ({ apiKeyId }) => createLlaves(t.db).revoke({ apiKeyId, actor: 'p', ip: null })],
    [
      'an operation is switched',
      ({ contribuyenteId }) => t.sql`INSERT INTO operacion_deshabilitada VALUES (${contribuyenteId}, 'tax/facturas')`,
    ],
    [
      'an address is listed',
      ({ contribuyenteId }) => t.sql`INSERT INTO ip_permitida VALUES (${contribuyenteId}, '10.0.0.0/8')`,
    ],
    [
      'a credential changes',
      ({ contribuyenteId, apiKeyId }) =>
        t.sql`INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre)
          VALUES (${uuidV7()}, ${contribuyenteId}, ${apiKeyId}, 'ciec', 'k', '')`,
    ],
  ])('calls a pass stale once %s', async (_what, change) => {
    const taxpayer = await seedTaxpayer(t.db);
    const access = await createAccessSnapshots(t.db).load(taxpayer.apiKeyId);
    await change(taxpayer);
    const result = await acceptSolicitud(t.db, taxpayer, { version: access?.version ?? 0n });
    expect(result).toEqual({ resultado: 'STALE_ACCESS' });
    expect(await count('solicitud', taxpayer.contribuyenteId, 'contribuyente_id')).toBe(0);
  });

  it('calls a pass stale whose credential has expired', async () => {
    const taxpayer = await seedTaxpayer(t.db);
    const sellada = {
      tipo: 'efirma',
      kid: 'k1',
      sobre: Buffer.from('x'),
      expiraEn: new Date(Date.now() - 1_000),
    } as const;
    expect(await acceptSolicitud(t.db, taxpayer, { canal: 'soap', sellada })).toEqual({ resultado: 'STALE_ACCESS' });
  });

  it('hides a solicitud of another taxpayer like one that does not exist', async () => {
    const [mine, other] = [await seedTaxpayer(t.db), await seedTaxpayer(t.db)];
    const id = await newSolicitud(t.db, mine);
    const solicitudes = createSolicitudes(t.db);
    expect(await solicitudes.find(mine.contribuyenteId, id)).not.toBeNull();
    expect(await solicitudes.find(other.contribuyenteId, id)).toBeNull();
    expect(await solicitudes.find(mine.contribuyenteId, uuidV7())).toBeNull();
    expect(await solicitudes.find(mine.contribuyenteId, "'; DROP TABLE solicitud; --")).toBeNull();
  });

  it('lists those of its taxpayer only, the newest first, page by page and narrowed', async () => {
    const [mine, other] = [await seedTaxpayer(t.db), await seedTaxpayer(t.db)];
    await newSolicitud(t.db, other);
    const months = ['01', '02', '03', '04', '05'];
    const ids: string[] = [];
    for (const [at, month] of months.entries()) {
      const periodo = { desde: `2026-${month}-01`, hasta: `2026-${month}-28` };
      ids.unshift(await newSolicitud(t.db, mine, { ...periodo, tipo: at % 2 ? 'emitidos' : 'recibidos' }));
    }
    const solicitudes = createSolicitudes(t.db);
    const { contribuyenteId } = mine;
    const list = async (...of: [object, string | undefined, number]) => {
      const [filtro, antesDe, limite] = of;
      const { vistas, hayMas } = await solicitudes.list(contribuyenteId, filtro, { antesDe, limite });
      return [vistas.map(({ id }) => id), hayMas];
    };
    expect(await list({}, undefined, 5)).toEqual([ids, false]);
    expect(await list({}, undefined, 2)).toEqual([ids.slice(0, 2), true]);
    expect(await list({}, ids[1], 2)).toEqual([ids.slice(2, 4), true]);
    expect(await list({}, ids[3], 2)).toEqual([ids.slice(4), false]);
    expect(await list({ tipo: 'emitidos' }, undefined, 5)).toEqual([[ids[1], ids[3]], false]);
    expect(await list({ desde: '2026-02-28', hasta: '2026-04-01' }, undefined, 5)).toEqual([ids.slice(1, 4), false]);
    await solicitudes.cancel(contribuyenteId, String(ids[2]));
    expect(await list({ estado: 'CANCELADA' }, undefined, 5)).toEqual([[ids[2]], false]);
    const { vistas } = await solicitudes.list(contribuyenteId, {}, { limite: 3 });
    expect(vistas[2]).toEqual(await solicitudes.find(contribuyenteId, String(ids[2])));
  });

  it('keeps the invariants of credits', async () => {
    expect(await brokenInvariants(t.db)).toEqual([]);
  });
});
