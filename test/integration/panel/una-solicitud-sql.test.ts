import { createClaims, createListaSolicitudes, createSolicitudes } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptSolicitud, seedTaxpayer, type TestDatabase, testDatabase } from '../fixtures/database.ts';

let t: TestDatabase;

beforeAll(async () => {
  t = await testDatabase({ timeoutMs: 120_000 });
});

afterAll(() => t.close());

async function accepted(taxpayer: Parameters<typeof acceptSolicitud>[1]) {
  const result = await acceptSolicitud(t.db, taxpayer);
  if (result.resultado !== 'ACEPTADA') throw new Error(result.resultado);
  return result.solicitudId;
}

describe('one solicitud', () => {
  test('is told with its charge, its refund and its code, to its own account alone', async () => {
    const [mine, foreign] = [await seedTaxpayer(t.db), await seedTaxpayer(t.db)];
    const id = await accepted(mine);
    const panel = createSolicitudes(t.db);
    expect(await panel.detail(mine.cuentaId, id)).toMatchObject({
      estado: 'EN_PROCESO',
      cargo: { creditos: 1 },
      reembolso: null,
      resumen: null,
    });
    const lista = createListaSolicitudes(t.db);
    expect(await lista.summary(mine.cuentaId)).toEqual({ abiertas: 1, huboSolicitud: true });
    const claims = createClaims(t.db);
    const claimed = await claims.claim({ solicitudId: id, gen: 1, queue: 'descargas', leaseSeconds: 60 });
    if (!claimed) throw new Error('not claimed');
    await claims.fail(claimed, { estado: 'RECHAZADA', motivo: 'SAT_RECHAZO_LA_SOLICITUD', codigo: '5001' });
    expect(await panel.detail(mine.cuentaId, id)).toMatchObject({
      estado: 'RECHAZADA',
      motivo: 'SAT_RECHAZO_LA_SOLICITUD',
      codigo: '5001',
      progreso: 1,
      reembolso: { creditos: 1 },
    });
    expect(await lista.summary(mine.cuentaId)).toEqual({ abiertas: 0, huboSolicitud: true });
    expect(await panel.timeline(mine.cuentaId, id, { limit: 10 })).toMatchObject([
      { tipo: 'RECHAZADA', codigo: '5001', detalle: 'SAT_RECHAZO_LA_SOLICITUD' },
    ]);
    expect(await panel.detail(foreign.cuentaId, id)).toBeNull();
    expect(await panel.timeline(foreign.cuentaId, id, { limit: 10 })).toEqual([]);
    for (const wrong of [uuidV7(), 'x', '', `${id} `, "' OR 1=1 --"])
      expect(await panel.detail(mine.cuentaId, wrong)).toBeNull();
  });

  test('keeps what its assembly counted', async () => {
    const mine = await seedTaxpayer(t.db);
    const id = await accepted(mine);
    const claims = createClaims(t.db);
    const claimed = await claims.claim({ solicitudId: id, gen: 1, queue: 'descargas', leaseSeconds: 60 });
    if (!claimed) throw new Error('not claimed');
    const resumen = { porEfecto: { I: 3, P: 1 }, porMes: { '2025-01': { I: 3, P: 1 } }, cancelados: 1 };
    await claims.finish(claimed, {
      objectKey: 'k',
      bytes: 10,
      sha256: 'ab',
      registros: 4,
      confianza: 'confirmado',
      resumen,
    });
    expect(await createSolicitudes(t.db).detail(mine.cuentaId, id)).toMatchObject({
      resumen,
      registros: 4,
      confianza: 'confirmado',
    });
  });

  test('leaves a note of what somebody did with it, but none for another account', async () => {
    const [mine, foreign] = [await seedTaxpayer(t.db), await seedTaxpayer(t.db)];
    const solicitudId = await accepted(mine);
    const nota = { solicitudId, actor: 'usuario:x', accion: 'descargar-paquete', ip: '10.0.0.1' };
    const panel = createSolicitudes(t.db);
    await panel.note({ ...nota, cuentaId: foreign.cuentaId });
    await panel.note({ ...nota, cuentaId: mine.cuentaId });
    const { rows } = await t.db.pool.query(`SELECT cuenta_id, ip FROM auditoria WHERE detalle->>'solicitud' = $1`, [
      solicitudId,
    ]);
    expect(rows).toEqual([{ cuenta_id: mine.cuentaId, ip: '10.0.0.1' }]);
  });
});
