import type { QueueName, WakeUp } from '@acuse/core';
import { createClaims, createHeartbeats, createOutbox, createSweeper, openDatabase } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { waitFor } from '../fixtures/wait-for.ts';

/** A grace longer than any test takes, and one after which everything counts as unanswered. */
const PATIENT = { graceSeconds: 3_600 };
const IMPATIENT = { graceSeconds: -1 };

const t = useDatabase();
afterEach(() => t.sql`TRUNCATE outbox, solicitud, latido CASCADE`);

const slots = (n: number, { proceso = 'uno', rol = 'descargas' } = {}) =>
  createHeartbeats(t.db).beat({ proceso, rol, consumed: false, slots: n });

/** Open solicitudes that are due, each a second after the one before; gives their ids in this order. */
async function due(taxpayer: Taxpayer, n: number, queue: QueueName = 'descargas'): Promise<string[]> {
  const ids = Array.from({ length: n }, () => uuidV7());
  const fase = queue === 'ensambles' ? 'ENSAMBLE' : 'DESCARGA';
  await t.sql`
    WITH nueva AS (
      INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, fase, due_at, deadline_at)
      SELECT i, ${taxpayer.cuentaId}, ${taxpayer.contribuyenteId}, i::text, 'R', 'recibidos', '2025-01-01', '2025-01-01', 'soap',
        ${fase}, now() - interval '1 day' + n * interval '1 second', now() + interval '1 day'
      FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS u (i, n) RETURNING id, cuenta_id, due_at
    )
    INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at) SELECT id, 1, ${queue}, cuenta_id, due_at FROM nueva`;
  return ids;
}

/** Lets the relay deliver once; gives what the queue got. */
async function drain(input = PATIENT): Promise<string[]> {
  const woken: WakeUp[] = [];
  await createOutbox(t.db).drain(input, async (wakeUps) => void woken.push(...wakeUps));
  return woken.map(({ solicitudId }) => solicitudId);
}

const take = (solicitudId: string, gen = 1) =>
  createClaims(t.db).claim({ solicitudId, gen, queue: 'descargas', leaseSeconds: 60 });

/** Takes a step of a solicitud that was woken, which is due again afterwards. */
async function step(solicitudId: string, inSeconds = 0): Promise<void> {
  const [row] = await t.sql`SELECT gen FROM solicitud WHERE id = ${solicitudId}`;
  const claimed = await take(solicitudId, row?.['gen']);
  if (!claimed) throw new Error('not claimed');
  await createClaims(t.db).release(claimed, {}, { queue: 'descargas', inSeconds });
}

describe('the queue is given', () => {
  it('no more than there are slots for, however many are due, and the oldest first', async () => {
    const taxpayer = await seedTaxpayer(t.db);
    const ids = await due(taxpayer, 3_000);
    expect(await drain()).toEqual([]);
    await slots(20);
    // A fifth of the slots is kept for others: of 20 and 4 ahead, one account alone gets 20.
    expect(await drain()).toEqual(ids.slice(0, 20));
    expect(await drain()).toEqual([]);
    await slots(20, { proceso: 'dos' });
    await slots(90, { rol: 'ensambles', proceso: 'tres' });
    expect(await drain()).toEqual(ids.slice(20, 36));
    // What ends a step makes room for one.
    await step(ids[0] ?? '', 3_600);
    expect(await drain()).toEqual(ids.slice(36, 37));
  });

  it('nothing for the slots of a process that was not seen for a minute, or that is leaving', async () => {
    await due(await seedTaxpayer(t.db), 2);
    await slots(4);
    await t.sql`UPDATE latido SET visto_en = now() - interval '61 seconds'`;
    expect(await drain()).toEqual([]);
    await slots(0);
    expect(await drain()).toEqual([]);
    await slots(4);
    expect(await drain()).toHaveLength(2);
  });

  it('what is due of each queue for its own slots', async () => {
    const taxpayer = await seedTaxpayer(t.db);
    const [download] = await due(taxpayer, 1);
    const [assembly] = await due(taxpayer, 1, 'ensambles');
    await slots(1, { rol: 'ensambles' });
    expect(await drain()).toEqual([assembly]);
    await slots(1, { proceso: 'otro' });
    expect(await drain()).toEqual([download]);
  });

  it('nothing that is due later', async () => {
    const [id = ''] = await due(await seedTaxpayer(t.db), 1);
    await slots(1);
    await t.sql`UPDATE outbox SET due_at = now() + interval '1 hour'`;
    expect(await drain()).toEqual([]);
    await t.sql`UPDATE outbox SET due_at = now() - interval '1 second'`;
    expect(await drain()).toEqual([id]);
  });
});

describe('a fair share of the slots', () => {
  it('one account alone leaves some free, and another gets them at once although 3,000 of the first wait', async () => {
    await slots(100);
    const a = await due(await seedTaxpayer(t.db), 3_000);
    expect(await drain()).toEqual(a.slice(0, 84));
    const b = await due(await seedTaxpayer(t.db), 5);
    // They are the youngest of all.
    await t.sql`UPDATE outbox SET due_at = now() - interval '1 second' WHERE solicitud_id = ANY (${b}::uuid[])`;
    expect(new Set(await drain())).toEqual(new Set(b));
  });

  it('busy accounts get equal shares, in any order of arrival', async () => {
    await slots(96);
    const [first, second] = [await seedTaxpayer(t.db), await seedTaxpayer(t.db)];
    const a = await due(first, 2_000);
    expect((await drain()).every((id) => a.includes(id))).toBe(true);
    const b = await due(second, 2_000);
    // A finished step gives its slot to the account with the fewest under way.
    for (let round = 0; round < 8; round += 1) {
      const rows = await t.sql<{ id: string }>`SELECT solicitud_id AS id FROM outbox WHERE rung_at IS NOT NULL
        ORDER BY rung_at, solicitud_id LIMIT 20`;
      for (const { id } of rows) await step(id, 3_600);
      await drain();
    }
    const rows = await t.sql<{ cuenta: string; n: number }>`
      SELECT cuenta_id AS cuenta, count(*)::int AS n FROM outbox WHERE rung_at IS NOT NULL GROUP BY 1`;
    const under = new Map(rows.map(({ cuenta, n }) => [cuenta, n]));
    expect(b).toHaveLength(2_000);
    const [x = 0, y = 0] = [under.get(first.cuentaId), under.get(second.cuentaId)];
    expect(x + y).toBeGreaterThan(80);
    expect(Math.abs(x - y)).toBeLessThanOrEqual(4);
  });

  it('every account gets a slot before any gets a second one', async () => {
    await slots(8);
    const many = await due(await seedTaxpayer(t.db), 50);
    const few = [];
    for (let n = 0; n < 5; n += 1) few.push(...(await due(await seedTaxpayer(t.db), 1)));
    const woken = await drain();
    for (const id of few) expect(woken).toContain(id);
    expect(woken.filter((id) => many.includes(id)).length).toBeGreaterThan(0);
    expect(woken.length).toBeLessThanOrEqual(12);
  });
});

describe('wake-ups', () => {
  it('without a claim are sent again under their generation, those of a running step are not', async () => {
    const [waiting = '', running = ''] = await due(await seedTaxpayer(t.db), 2);
    await slots(4);
    expect(await drain()).toEqual([waiting, running]);
    await take(running);
    expect(await drain()).toEqual([]);
    expect(await drain(IMPATIENT)).toEqual([waiting]);
    const rows = await t.sql`SELECT gen FROM solicitud WHERE id = ${waiting}`;
    expect(rows).toEqual([{ gen: 1 }]);
    expect(await take(waiting)).not.toBeNull();
    expect(await drain(IMPATIENT)).toEqual([]);
  });

  it('without a claim are sent again to no queue without a consumer', async () => {
    const [waiting = ''] = await due(await seedTaxpayer(t.db), 1);
    await slots(4);
    expect(await drain()).toEqual([waiting]);
    await t.sql`UPDATE latido SET visto_en = now() - interval '61 seconds'`;
    expect(await drain(IMPATIENT)).toEqual([]);
    await slots(4);
    expect(await drain(IMPATIENT)).toEqual([waiting]);
  });

  it('that were not delivered stay, and the connection serves again unless it is gone', async () => {
    const [id] = await due(await seedTaxpayer(t.db), 1);
    await slots(1);
    const one = openDatabase({ url: t.url, poolSize: 1, timeoutMs: 10_000, applicationName: 'acuse-drain' });
    const outbox = createOutbox(one);
    const pid = async () => (await one.pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
    const isRung = async () => (await t.sql`SELECT FROM outbox WHERE rung_at IS NOT NULL`).length === 1;
    try {
      const first = await pid();
      await expect(outbox.drain(PATIENT, () => Promise.reject(new Error('the queue is away')))).rejects.toThrow(
        'the queue is away',
      );
      expect([await isRung(), await pid()]).toEqual([false, first]);

      // One whose connection ends as well leaves them to the grace.
      const ended = outbox.drain(PATIENT, async () => {
        await t.sql`SELECT pg_terminate_backend(${first})`;
        await waitFor(async () => {
          const { rowCount } = await t.db.pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [first]);
          return rowCount === 0 || null;
        });
        throw new Error('the queue is away too');
      });
      await expect(ended).rejects.toThrow('the queue is away too');
      const taken: WakeUp[] = [];
      await outbox.drain(IMPATIENT, async (wakeUps) => void taken.push(...wakeUps));
      expect(taken).toMatchObject([{ solicitudId: id, gen: 1, queue: 'descargas' }]);
      expect(await pid()).not.toBe(first);
      const { delivered } = await outbox.drain(PATIENT, () => Promise.reject(new Error('nothing to deliver')));
      expect(delivered).toBe(0);
    } finally {
      await one.close();
    }
  });

  it('share a job with few of their process, and with none of a small one', async () => {
    const sizes: unknown[] = [];
    const drained = (wakeUps: number) =>
      createOutbox(t.db).drain(
        PATIENT,
        async (taken, each) => void sizes.push([taken.length, each.descargas, wakeUps]),
      );
    for (const [processes, each, wakeUps] of [
      [1, 250, 200],
      [2, 80, 40],
      [3, 4, 12],
    ] as const) {
      await t.sql`DELETE FROM latido`;
      await t.sql`DELETE FROM outbox`;
      for (let n = 0; n < processes; n += 1) await slots(each, { proceso: `p${n}` });
      await due(await seedTaxpayer(t.db), Math.ceil(wakeUps / 2));
      await due(await seedTaxpayer(t.db), Math.floor(wakeUps / 2));
      await drained(wakeUps);
    }
    expect(sizes).toEqual([
      [200, 31, 200],
      [40, 10, 40],
      [12, 1, 12],
    ]);
  });

  it('tell whether one go was too short for the slots', async () => {
    const hasMore = async () => (await createOutbox(t.db).drain(PATIENT, async () => {})).hasMore;
    for (let n = 0; n < 5; n += 1) await due(await seedTaxpayer(t.db), 60);
    await slots(1_000);
    expect([await hasMore(), await hasMore(), await hasMore()]).toEqual([true, false, false]);
  });

  it('tell how long the relay may rest: not while one is due or under way, else until the first is due', async () => {
    const rest = async () => (await createOutbox(t.db).drain(PATIENT, async () => {})).restSeconds;
    expect(await rest()).toBe(Number.POSITIVE_INFINITY);
    const [id = ''] = await due(await seedTaxpayer(t.db), 1);
    expect(await rest()).toBe(0);
    await slots(1);
    expect([await rest(), await rest()]).toEqual([0, 0]);
    await step(id, 3_600);
    const left = await rest();
    expect(left > 3_500 && left <= 3_600).toBe(true);
  });

  it('are chosen by one relay at a time: two at once give out no slot twice', async () => {
    await due(await seedTaxpayer(t.db), 100);
    await slots(20);
    const both = await Promise.all(Array.from({ length: 6 }, () => drain()));
    expect(both.flat()).toHaveLength(20);
    expect(new Set(both.flat()).size).toBe(20);
  });

  it('of a solicitud that is not worked on any more hold no slot', async () => {
    const [ended = '', next] = await due(await seedTaxpayer(t.db), 2);
    await slots(1);
    await t.sql`UPDATE outbox SET rung_at = now()`;
    await t.sql`UPDATE outbox SET rung_at = NULL WHERE solicitud_id <> ${ended}`;
    await t.sql`UPDATE solicitud SET estado = 'ERROR', terminada_en = now() WHERE id = ${ended}`;
    await createSweeper(t.db).wakeOverdue({ limit: 10, findLost: false });
    const rows = await t.sql`SELECT solicitud_id AS id FROM outbox`;
    expect(rows).toEqual([{ id: next }]);
  });
});
