import { createClaims, createHeartbeats } from '@acuse/db';
import { expect, it } from 'vitest';
import { acceptSolicitud, seedTaxpayer, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

it('a consumer without claims counts as unhealthy while wake-ups wait; the lag includes rows that wait for their wake-up', async () => {
  const heartbeats = createHeartbeats(t.db);
  const lag = (queue: 'descargas' | 'ensambles') =>
    heartbeats.beatWithLag({ proceso: 'p', rol: queue, consumed: true, slots: 3 });
  const unanswered = async () => (await lag('descargas')).unanswered;
  const handOver = () => t.sql`UPDATE outbox SET rung_at = now()`;
  const accepted = await acceptSolicitud(t.db, await seedTaxpayer(t.db));
  const solicitudId = accepted.resultado === 'ACEPTADA' ? accepted.solicitudId : '';
  // Its wake-up is still with the relay.
  await t.sql`UPDATE outbox SET due_at = now() - interval '1 hour'`;
  expect(await unanswered()).toBe(0);
  expect((await lag('descargas')).seconds).toBeGreaterThanOrEqual(3_600);
  await handOver();
  expect(await unanswered()).toBe(1);
  expect((await lag('descargas')).seconds).toBeGreaterThanOrEqual(3_600);
  expect(await lag('ensambles')).toEqual({ unanswered: 0, seconds: 0 });
  expect(await t.sql`SELECT rol, slots FROM latido WHERE proceso = 'p'`).toEqual([{ rol: 'ensambles', slots: 3 }]);

  const claims = createClaims(t.db);
  const claimed = await claims.claim({ solicitudId, gen: 1, queue: 'descargas', leaseSeconds: 60 });
  if (!claimed) throw new Error('not claimed');
  expect(await lag('descargas')).toEqual({ unanswered: 0, seconds: 0 });
  await t.sql`UPDATE solicitud SET lease_until = now() - interval '1 second'`;
  expect(await unanswered()).toBe(1);
  await claims.release(claimed, {}, { queue: 'descargas', inSeconds: 60 });
  expect(await lag('descargas')).toEqual({ unanswered: 0, seconds: 0 });
});
