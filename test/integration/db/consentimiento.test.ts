import { randomBytes } from 'node:crypto';
import { addDays, calendarDay } from '@acuse/core';
import { createClaims, createSincronizaciones, createTramos, type TramoTomado } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { generateWorkerKeyPair, openSealer } from '@acuse/vault';
import { expect, it } from 'vitest';
import { newSubscriber, type Subscriber } from '../almacen/subscriber.ts';
import { claimOf, saldoDe, useDatabase } from '../fixtures/database.ts';

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
    const peticion = { solicitudId, desde, hasta: hoy, hoy, costo: 1, deadlineAt, aLaVez: 3 };
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
  const after = await createClaims(t.db).save(claimed, { eventos: [{ tipo: 'SAT_EN_PROCESO' }] });
  expect(after.sellada).toBe(null);
});

it('nothing is asked for under a consent that expired, and nothing is charged', async () => {
  const { subscriber, tomados, ask } = await open();
  await expire(subscriber);
  expect((await ask(tomados[0])).is).toBe('SIN_CONSENTIMIENTO');
  expect(await saldoDe(t, subscriber)).toBe(5);
});

it('a revoked consent ends what is under way with its refund, and whoever holds it writes nothing more', async () => {
  const { subscriber, tomados, ask } = await open();
  const { solicitudId } = await ask(tomados[0]);
  const claimed = await claimOf(t.db, solicitudId);
  expect(await createSincronizaciones(t.db).revoke(subscriber.contribuyenteId, quien)).toBe(true);
  const paquete = { objectKey: 'k', bytes: 1, sha256: 'a', registros: 1, confianza: 'confirmado' } as const;
  await expect(createClaims(t.db).finish(claimed, paquete)).rejects.toThrow('is over');
  expect(await saldoDe(t, subscriber)).toBe(5);
  expect((await ask(tomados[1])).is).toBe('PAUSADA');
});

it('readings that overlap are not under way together: what one brings would be missing from the other', async () => {
  const { tomados, ask } = await open();
  expect(tomados).toHaveLength(2);
  expect((await ask(tomados[0], addDays(hoy, -3))).is).toBe('PEDIDA');
  expect((await ask(tomados[1], addDays(hoy, -1))).is).toBe('OCUPADA');
});
