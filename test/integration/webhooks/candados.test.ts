import { createRetention } from '@acuse/db';
import { createEntregas, createWebhooks } from '@acuse/webhooks/db';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitForLocks } from '../fixtures/candado.ts';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { createEmisor, expireAll, newVencidas } from './fixtures/destinos.ts';

const t = useDatabase();
const autor = { actor: 'prueba', ip: null };
const hecho = { ms: 5, status: 500, error: null, respuesta: 'no' };
const despues = {
  enSegundos: 60,
  deNuevoEnSegundos: 5,
  esperaSegundos: null,
  isNoMore: false,
  diasFallando: 3,
  maxPendientes: 100,
} as const;
const TODAS = { limite: 10, porDestino: 10, porCuenta: 10, dudosas: 10, leaseSeconds: 60 };

let cuentaId: string;
let webhookId: string;
let gate: pg.PoolClient;

/** An endpoint with two deliveries; their ids, the older first. */
async function newEntregas(): Promise<readonly [string, string]> {
  const taxpayer = await seedTaxpayer(t.db);
  cuentaId = taxpayer.cuentaId;
  webhookId = (await createEmisor(t).newWebhook(cuentaId, 'http://127.0.0.1:9/')).id;
  await newVencidas(t.db, taxpayer, 2);
  await expireAll(t.db);
  const rows = await t.sql<{
    id: string;
  }>`SELECT id FROM webhook_entrega WHERE webhook_id = ${webhookId} ORDER BY secuencia`;
  return [rows[0]?.id ?? '', rows[1]?.id ?? ''];
}

beforeEach(async () => {
  gate = await t.db.pool.connect();
  // PostgreSQL ends a deadlock by giving up who has waited for a while: never this one.
  await gate.query(`BEGIN; SET LOCAL deadlock_timeout = '1h'`);
});
afterEach(() => gate.release(true));

const DELETE = 'DELETE FROM webhook WHERE id = $1';
const webhooks = () => createWebhooks(t.db);
const entregas = () => createEntregas(t.db);

describe('who deletes an endpoint and who writes about it never wait for each other', () => {
  it.each(['failed', 'delivered'] as const)('a try that %s', async (what) => {
    await newEntregas();
    await t.sql`UPDATE webhook SET fallos_seguidos = 3, fallando_desde = now() WHERE id = ${webhookId}`;
    const [tomada] = await entregas().claim(TODAS);
    if (tomada === undefined) throw new Error('nothing was claimed');
    await gate.query('SELECT FROM webhook WHERE id = $1 FOR UPDATE', [webhookId]);
    const noted = what === 'failed' ? entregas().failed(tomada, hecho, despues) : entregas().delivered(tomada, hecho);
    await waitForLocks(t.db.pool, 1);
    await gate.query(DELETE, [webhookId]);
    await gate.query('COMMIT');
    expect(await noted).toBe(what === 'failed' ? null : false);
  });

  it('the retention of what was told', async () => {
    const [, nueva] = await newEntregas();
    await t.sql`UPDATE webhook_evento SET creado_en = now() - interval '91 days' WHERE cuenta_id = ${cuentaId}`;
    await gate.query('SELECT FROM webhook_entrega WHERE id = $1 FOR UPDATE', [nueva]);
    const pruned = createRetention(t.db).prune({ traceDays: 90, auditDays: 400, limit: 100 });
    // It leaves held rows for the next time: it waits for no lock.
    await pruned;
    expect(await t.sql`SELECT id FROM webhook_entrega WHERE webhook_id = ${webhookId}`).toEqual([{ id: nueva }]);
    await gate.query(DELETE, [webhookId]);
    await gate.query('COMMIT');
    await createRetention(t.db).prune({ traceDays: 90, auditDays: 400, limit: 100 });
    expect(await t.sql`SELECT FROM webhook_evento WHERE cuenta_id = ${cuentaId}`).toEqual([]);
  });

  it('a delivery that somebody holds: the endpoint is gone at once, its log when it is let go', async () => {
    const [vieja, nueva] = await newEntregas();
    await gate.query('SELECT FROM webhook_entrega WHERE id = $1 FOR UPDATE', [nueva]);
    const alcance = { cuentaId };
    const prune = () => createRetention(t.db).prune({ traceDays: 90, auditDays: 400, limit: 100 });
    expect(await webhooks().remove(alcance, webhookId, autor)).toBe(true);
    expect(await webhooks().list(alcance)).toEqual([]);
    expect(await webhooks().entregas(alcance, webhookId, { limite: 10 })).toEqual([]);
    expect(await webhooks().entrega(alcance, vieja)).toBeNull();
    expect(await webhooks().resend(alcance, vieja)).toBe(false);
    expect(await webhooks().ping(alcance, webhookId)).toBeNull();
    expect(await webhooks().update(alcance, webhookId, { estado: 'ACTIVO', ...autor })).toBeNull();
    expect(await webhooks().remove(alcance, webhookId, autor)).toBe(false);
    expect(await entregas().claim(TODAS)).toEqual([]);
    expect(await t.sql`SELECT FROM webhook_secreto WHERE webhook_id = ${webhookId}`).toEqual([]);
    await prune();
    expect(await t.sql`SELECT id FROM webhook_entrega WHERE webhook_id = ${webhookId}`).toEqual([{ id: nueva }]);
    await gate.query('COMMIT');
    await prune();
    expect(await t.sql`SELECT FROM webhook WHERE id = ${webhookId}`).toEqual([]);
  });

  it('an event that is written meanwhile: it goes with the endpoint, or is not written', async () => {
    await newEntregas();
    await gate.query('UPDATE webhook SET secuencia = secuencia WHERE id = $1', [webhookId]);
    const removed = webhooks().remove({ cuentaId }, webhookId, autor);
    await waitForLocks(t.db.pool, 1);
    const values = [webhookId, cuentaId];
    await gate.query(`SELECT webhook_anota(ARRAY[$1::uuid], $2, NULL, 'prueba', NULL, '{}')`, values);
    const pinged = webhooks().ping({ cuentaId }, webhookId);
    await waitForLocks(t.db.pool, 2);
    await gate.query('COMMIT');
    // The row that both wait for has moved on: PostgreSQL may let either of them have it first.
    expect(await Promise.all([removed, pinged])).toEqual([true, expect.toSatisfy(isWrittenOrNot)]);
    expect(await entregas().claim(TODAS)).toEqual([]);
  });
});

/** What `ping` gives: the id of a delivery that was written, or nothing. */
const isWrittenOrNot = (pinged: unknown) =>
  pinged === null || typeof (pinged as { entrega?: unknown }).entrega === 'string';

describe('a delivery that is asked for again while it is being sent', () => {
  /** One that is under way at its last try, and was asked for again. */
  async function sendAgainMeanwhile() {
    const [vieja] = await newEntregas();
    await t.sql`DELETE FROM webhook_entrega WHERE webhook_id = ${webhookId} AND id <> ${vieja}`;
    await t.sql`UPDATE webhook_entrega SET intentos = 10 WHERE id = ${vieja}`;
    const [tomada] = await entregas().claim(TODAS);
    if (tomada === undefined) throw new Error('nothing was claimed');
    expect(await webhooks().resend({ cuentaId }, vieja)).toBe(true);
    const how = async () => {
      const entrega = await webhooks().entrega({ cuentaId }, vieja);
      return [entrega?.estado, entrega?.intentos, entrega?.hechos.length];
    };
    return { tomada, how };
  }

  it('stays with its sender, and is over when it arrives', async () => {
    const { tomada, how } = await sendAgainMeanwhile();
    expect(await entregas().claim(TODAS)).toEqual([]);
    expect(await entregas().delivered(tomada, { ...hecho, status: 200 })).toBe(true);
    expect(await how()).toEqual(['ENTREGADA', 1, 1]);
    expect(await entregas().delivered(tomada, { ...hecho, status: 200 })).toBe(false);
    expect(await how()).toEqual(['ENTREGADA', 1, 1]);
  });

  it('has all its tries before it when that one fails, though it was the last', async () => {
    const { tomada, how } = await sendAgainMeanwhile();
    expect(await entregas().failed(tomada, hecho, { ...despues, enSegundos: null })).toBe('ACTIVO');
    expect(await how()).toEqual(['PENDIENTE', 1, 1]);
    const { rows } = await t.db.pool.query(
      `SELECT extract(epoch FROM due_at - now()) BETWEEN 0 AND 5 AS soon FROM webhook_entrega WHERE id = $1`,
      [tomada.id],
    );
    expect(rows).toEqual([{ soon: true }]);
  });

  it('is sent at once when its sender is dead, who can write nothing of it any more', async () => {
    const { tomada, how } = await sendAgainMeanwhile();
    await t.sql`UPDATE webhook_entrega SET tomada_hasta = now() - interval '1 second' WHERE id = ${tomada.id}`;
    await webhooks().resend({ cuentaId }, tomada.id);
    expect(await entregas().claim(TODAS)).toMatchObject([{ id: tomada.id, intentos: 0 }]);
    expect(await entregas().failed(tomada, hecho, despues)).toBeNull();
    expect(await how()).toEqual(['PENDIENTE', 0, 0]);
  });
});

it('who sends again, switches off, notes and deletes the same deliveries at the same time waits for nobody for ever', async () => {
  for (let round = 0; round < 5; round += 1) {
    const ids = await newEntregas();
    const alcance = { cuentaId };
    const tomadas = await entregas().claim({ ...TODAS, limite: 100 });
    const own = tomadas.filter((each) => each.webhookId === webhookId);
    expect(own).toHaveLength(2);
    const answers = await Promise.allSettled([
      ...own.map((each) => entregas().failed(each, hecho, despues)),
      ...own.map((each) => entregas().delivered(each, hecho)),
      ...ids.map((id) => webhooks().resend(alcance, id)),
      webhooks().update(alcance, webhookId, { estado: 'APAGADO', ...autor }),
      webhooks().update(alcance, webhookId, { estado: 'ACTIVO', ...autor }),
      webhooks().ping(alcance, webhookId),
      webhooks().remove(alcance, webhookId, autor),
      createRetention(t.db).prune({ traceDays: 90, auditDays: 400, limit: 100 }),
    ]);
    expect(answers.flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason)] : []))).toEqual([]);
    // Each attempt is noted by one of its holders, or by none where the webhook was deleted first.
    const { rows } = await t.db.pool.query(
      `SELECT max(n)::int AS most FROM (SELECT count(*) AS n FROM webhook_intento i JOIN webhook_entrega e ON e.id = i.entrega_id
       WHERE e.id = ANY ($1) GROUP BY e.id) x`,
      [ids],
    );
    expect(rows[0]?.most ?? 1).toBe(1);
  }
});

it('workers that ask at the same time take no more for one receiver than it may have under way', async () => {
  await newEntregas();
  const taken = await Promise.all(
    Array.from({ length: 6 }, () => entregas().claim({ ...TODAS, limite: 1, porDestino: 1 })),
  );
  expect(taken.flat()).toHaveLength(1);
});
