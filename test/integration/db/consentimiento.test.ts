import { randomBytes } from 'node:crypto';
import { addDays, calendarDay } from '@acuse/core';
import { createBoveda, createClaims } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { createSincronizaciones, createTramos, type TramoTomado } from '@acuse/sincronizacion/db';
import { generateWorkerKeyPair, openSealer } from '@acuse/vault';
import { expect, it } from 'vitest';
import { newSubscriber, type Subscriber, subscribe } from '../almacen/subscriber.ts';
import { waitForLocks } from '../fixtures/candado.ts';
import { saldoDe, useDatabase } from '../fixtures/database.ts';
import { claimOf, WITH_FEATURES } from '../fixtures/features.ts';

const t = useDatabase();
const sealer = openSealer(`w1:${generateWorkerKeyPair().publicKey}`, `p1:${randomBytes(32).toString('base64')}`);
const hoy = calendarDay(new Date());
const quien = { actor: 'prueba', ip: null };

/** A subscription whose month and newest days are both due, and what a worker asks for them. */
async function open() {
  const tramos = createTramos(t.db);
  const subscriber = await newSubscriber(t, sealer, { tipos: ['recibidos'], saldo: 5 });
  const { sincronizacionId: id } = subscriber;
  await t.sql`UPDATE tramo SET due_at = now() - interval '1 second' WHERE sincronizacion_id = ${id}`;
  const tomados = (await tramos.take(100, 60)).filter(({ sincronizacionId }) => sincronizacionId === id);
  const ask = async (tomado: TramoTomado | undefined, desde = hoy) => {
    if (tomado === undefined) throw new Error('nothing is due');
    const solicitudId = uuidV7();
    const deadlineAt = new Date(Date.now() + 3_600_000);
    const peticion = { solicitudId, desde, hasta: hoy, hoy, isGratis: false, deadlineAt, aLaVez: 3 };
    return { solicitudId, is: await tramos.ask(tomado, peticion) };
  };
  return { subscriber, tomados, ask };
}

const expire = ({ sincronizacionId }: Subscriber) =>
  t.sql`UPDATE consentimiento SET expira_en = now() - interval '1 second' WHERE sincronizacion_id = ${sincronizacionId}`;

it('a step gets the copy of the consent, and none from the second in which it expires', async () => {
  const { subscriber, tomados, ask } = await open();
  const { solicitudId, is } = await ask(tomados[0]);
  expect([is, await saldoDe(t, subscriber)]).toEqual(['PEDIDA', 4]);
  const claimed = await claimOf(t.db, solicitudId);
  expect(claimed.sellada).toMatchObject({ tipo: 'ciec', kid: 'w1', expiraEn: subscriber.expiraEn });
  await expire(subscriber);
  const after = await createClaims(t.db, WITH_FEATURES).goOn(claimed, { eventos: [{ tipo: 'SAT_EN_PROCESO' }] });
  expect(after.sellada).toBe(null);
});

it('a tramo is extended by its holder, and by no earlier one', async () => {
  const [tomado] = (await open()).tomados;
  if (tomado === undefined) throw new Error('nothing is due');
  const tramos = createTramos(t.db);
  expect(await tramos.extend(tomado, 60)).toBe(true);
  expect(await tramos.extend({ ...tomado, epoch: tomado.epoch - 1 }, 60)).toBe(false);
});

it('nothing is asked for under a consent that expired, and nothing is charged', async () => {
  const { subscriber, tomados, ask } = await open();
  await expire(subscriber);
  expect((await ask(tomados[0])).is).toBe('SIN_CONSENTIMIENTO');
  expect(await saldoDe(t, subscriber)).toBe(5);
});

it('a revoked consent ends readings under way with a refund, and their holders write nothing more', async () => {
  const { subscriber, tomados, ask } = await open();
  const { solicitudId } = await ask(tomados[0]);
  const claimed = await claimOf(t.db, solicitudId);
  expect(await createSincronizaciones(t.db).revoke(subscriber.contribuyenteId, quien)).toBe(true);
  const paquete = { objectKey: 'k', bytes: 1, sha256: 'a', registros: 1, confianza: 'confirmado' } as const;
  await expect(createClaims(t.db, WITH_FEATURES).finish(claimed, paquete)).rejects.toThrow('is over');
  expect(await saldoDe(t, subscriber)).toBe(5);
  expect((await ask(tomados[1])).is).toBe('PAUSADA');
});

const storeCiec = ({ contribuyenteId, apiKeyId }: Subscriber) => {
  const ciec = { tipo: 'ciec', kid: 'k1', sobre: Buffer.from('sealed') } as const;
  return createBoveda(t.db).store({ id: uuidV7(), contribuyenteId, apiKeyId, ...ciec }, '192.0.2.1');
};

it.each([
  ['is taken back', ({ contribuyenteId }: Subscriber) => createSincronizaciones(t.db).revoke(contribuyenteId, quien)],
  ['ends by a new CIEC', storeCiec],
  ['ends with its subscription', (s: Subscriber) => createSincronizaciones(t.db).remove(s.contribuyenteId, quien)],
] as const)('a consent that %s in a deadlock with a worker who ends a reading ends all the same', async (_, end) => {
  const { subscriber, tomados, ask } = await open();
  await storeCiec(subscriber);
  await t.sql`UPDATE credencial SET creada_en = now() - interval '1 hour' WHERE contribuyente_id = ${subscriber.contribuyenteId}`;
  await subscribe(t, subscriber, sealer, { tipos: ['recibidos'] });
  const { solicitudId, is } = await ask(tomados[0]);
  expect(is).toBe('PEDIDA');
  const [worker, gate] = [await t.db.pool.connect(), await t.db.pool.connect()];
  try {
    await worker.query('BEGIN');
    // PostgreSQL gives up the one who has waited for a while, looks for a deadlock and finds one: not this one.
    await worker.query(`SET LOCAL deadlock_timeout = '1h'`);
    await worker.query('UPDATE solicitud SET intentos = intentos + 1 WHERE id = $1', [solicitudId]);
    await gate.query('BEGIN');
    await gate.query('SELECT FROM consentimiento WHERE sincronizacion_id = $1 FOR UPDATE', [
      subscriber.sincronizacionId,
    ]);
    const ended = end(subscriber);
    await waitForLocks(t.db.pool, 1);
    const refund = worker.query('UPDATE cuenta SET saldo = saldo WHERE id = $1', [subscriber.cuentaId]);
    await waitForLocks(t.db.pool, 2);
    await gate.query('COMMIT');
    await refund;
    await worker.query('COMMIT');
    expect(await ended).toBe(true);
  } finally {
    worker.release(true);
    gate.release(true);
  }
  const left = await t.sql`SELECT FROM consentimiento WHERE sincronizacion_id = ${subscriber.sincronizacionId}`;
  expect([left, await saldoDe(t, subscriber)]).toEqual([[], 5]);
});

it('who has the newest days read daily from now on has them read tomorrow, not when the week is over', async () => {
  const subscriber = await newSubscriber(t, sealer, { tipos: ['recibidos'], frecuencia: 'SEMANAL' });
  const reciente = async () =>
    (
      await t.sql<{ due: Date }>`
        SELECT due_at AS due FROM tramo WHERE sincronizacion_id = ${subscriber.sincronizacionId} AND mes = '0001-01-01'`
    )[0]?.due.getTime();
  const tomorrow = await reciente();
  const later = () =>
    t.sql`UPDATE tramo SET due_at = due_at + interval '6 days' WHERE sincronizacion_id = ${subscriber.sincronizacionId} AND mes = '0001-01-01'`;
  await later();
  const inAWeek = await reciente();
  await subscribe(t, subscriber, sealer, { tipos: ['recibidos'], frecuencia: 'SEMANAL' });
  expect(await reciente()).toBe(inAWeek);
  await subscribe(t, subscriber, sealer, { tipos: ['recibidos'], frecuencia: 'DIARIA' });
  expect(await reciente()).toBe(tomorrow);
});

it('readings that overlap are not under way together: what one brings would be missing from the other', async () => {
  const { tomados, ask } = await open();
  expect(tomados).toHaveLength(2);
  expect((await ask(tomados[0], addDays(hoy, -3))).is).toBe('PEDIDA');
  expect((await ask(tomados[1], addDays(hoy, -1))).is).toBe('OCUPADA');
});
