import { createLatidos, createTaller, createVigilancia } from '@acuse/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acceptSolicitud, seedTaxpayer, type TestDatabase, testDatabase } from '../fixtures/database.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

it('a consumer is blamed for what was rung, is due and nobody took, however often it is rung again', async () => {
  const latidos = createLatidos(t.db);
  const vigilancia = createVigilancia(t.db);
  const deliver = () => t.db.pool.query('DELETE FROM outbox');
  const accepted = await acceptSolicitud(t.db, await seedTaxpayer(t.db));
  const solicitudId = accepted.resultado === 'ACEPTADA' ? accepted.solicitudId : '';
  // Its ring is still with the relay.
  expect(await latidos.overdue('descargas')).toBe(0);
  await deliver();
  expect(await latidos.overdue('descargas')).toBe(1);
  expect(await latidos.overdue('ensambles')).toBe(0);

  await t.db.pool.query("UPDATE solicitud SET due_at = now() - interval '1 hour'");
  expect(await vigilancia.ringOverdue({ graceSeconds: 30, limit: 10 })).toBe(1);
  expect(await latidos.overdue('descargas')).toBe(0);
  await deliver();
  expect(await latidos.overdue('descargas')).toBe(1);

  const taller = createTaller(t.db);
  const tomada = await taller.claim({ solicitudId, gen: 2, cola: 'descargas', leaseSeconds: 60 });
  if (!tomada) throw new Error('not claimed');
  expect(await latidos.overdue('descargas')).toBe(0);
  await taller.release(tomada, {}, { cola: 'descargas', inSeconds: 60 });
  await deliver();
  expect(await latidos.overdue('descargas')).toBe(0);
});
