import type { Avance } from '@acuse/core';
import { createClaims, createHeartbeats, createOutbox, createSweeper, openDatabase } from '@acuse/db';
import type pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { schedule, seedOpen } from '../fixtures/abiertas.ts';
import { useDatabase } from '../fixtures/database.ts';
import { examine } from '../fixtures/planes.ts';

/** As many as the planner may still think it cheaper to read all of than to look up. */
const OPEN = 10_000;
/** What one statement of a queue or a claim takes, and more than it has reason to read. */
const [TOGETHER, MOST_READ] = [64, 1_000];

/** The statements of `run` that read more of a table than they have reason to. */
async function greedy(run: () => Promise<unknown>): Promise<string[]> {
  const plans = await examine(run);
  expect(plans.length).toBeGreaterThan(0);
  return plans.flatMap(({ sql, nodes }) =>
    nodes
      .filter(({ table, read }) => table !== null && read > MOST_READ)
      .map(({ kind, table, read }) => `${kind} of ${read} rows of ${table}: ${sql.trim().slice(0, 60)}`),
  );
}

/** Keeps statistics of a time without open solicitudes, as a large table has them: a burst is a small part of its rows. */
async function keepOldStatistics(pool: pg.Pool): Promise<void> {
  await pool.query('ALTER TABLE solicitud SET (autovacuum_enabled = false)');
  await seedOpen(pool, { open: 1_000, cuentas: 1 });
  await pool.query(`UPDATE solicitud SET estado = 'ERROR', motivo = 'SAT_ERROR', terminada_en = now()`);
  await pool.query('VACUUM ANALYZE');
}

describe.each([
  ['as they are', false],
  ['from a time when none was open', true],
])('with statistics of solicitudes %s', (_, areOld) => {
  const t = useDatabase({ timeoutMs: 60_000 });
  let ids: string[] = [];
  beforeAll(async () => {
    if (areOld) await keepOldStatistics(t.db.pool);
    ids = await seedOpen(t.db.pool, { open: OPEN, cuentas: 20 });
    await schedule(t.db.pool, ids);
    await t.db.pool.query(areOld ? 'ANALYZE outbox' : 'VACUUM ANALYZE');
    await createHeartbeats(t.db).beat({ proceso: 'p', rol: 'descargas', consumed: true, slots: TOGETHER });
  });

  test('a turn of the relay reads no more with everything due than with little', async () => {
    const outbox = createOutbox(t.db);
    const taken: number[] = [];
    const turn = () => outbox.drain({ graceSeconds: 60 }, async (wakeUps) => void taken.push(wakeUps.length));
    expect(await greedy(turn)).toEqual([]);
    expect(taken).toEqual([TOGETHER + 4]);
  });

  test('wake-ups that the queue refuses are put back by their keys', async () => {
    const outbox = createOutbox(t.db);
    await t.db.pool.query('UPDATE outbox SET rung_at = NULL WHERE rung_at IS NOT NULL');
    const refused = () =>
      outbox
        .drain({ graceSeconds: 60 }, async () => {
          throw new Error('the queue is away');
        })
        .catch(() => {});
    expect(await greedy(refused)).toEqual([]);
    const { rows } = await t.db.pool.query('SELECT count(*)::int AS n FROM outbox WHERE rung_at IS NOT NULL');
    expect(rows).toEqual([{ n: 0 }]);
  });

  test('claims and their releases read their own rows, however many are made together', async () => {
    const claims = createClaims(t.db);
    const claim = (solicitudId: string) => claims.claim({ solicitudId, gen: 1, queue: 'descargas', leaseSeconds: 60 });
    const claimed: Awaited<ReturnType<typeof claim>>[] = [];
    const claimAll = async () => claimed.push(...(await Promise.all(ids.slice(0, TOGETHER).map(claim))));
    expect(await greedy(claimAll)).toEqual([]);
    const held = claimed.filter((each) => each !== null);
    expect(held).toHaveLength(TOGETHER);
    const found = (parteId: string): Avance => ({
      consultado: true,
      partes: [{ parteId, fallos: 0, consultas: 1, dueInSeconds: 60 }],
      eventos: [{ tipo: 'SAT_EN_PROCESO' }],
    });
    const release = (each: (typeof held)[number]) =>
      claims.release(each, found(each.partes[0]?.id ?? ''), { queue: 'descargas', inSeconds: 60 });
    expect(await greedy(() => Promise.all(held.map(release)))).toEqual([]);
    const { rows } = await t.db.pool.query('SELECT count(*)::int AS n FROM parte WHERE consultas = 1');
    expect(rows).toEqual([{ n: TOGETHER }]);
  });

  test('a turn of the reconciler reads no more than is under way', async () => {
    const turn = () => createSweeper(t.db).wakeOverdue({ limit: 500, findLost: false });
    expect(await greedy(turn)).toEqual([]);
  });

  test('the server keeps one plan of a claim and of a turn of the relay', async () => {
    const one = openDatabase({ ...t.db.settings, poolSize: 1 });
    onTestFinished(() => one.close());
    const claims = createClaims(one);
    const outbox = createOutbox(one);
    for (const solicitudId of ids.slice(-10)) {
      await t.db.pool.query('UPDATE outbox SET rung_at = NULL WHERE rung_at IS NOT NULL');
      await outbox.drain({ graceSeconds: 60 }, async () => {});
      await claims.claim({ solicitudId, gen: 1, queue: 'descargas', leaseSeconds: 60 });
    }
    const { rows } = await one.pool.query<{ sql: string; kept: number }>(
      'SELECT left(ltrim(statement, chr(10)), 16) AS sql, generic_plans::int AS kept FROM pg_prepared_statements',
    );
    const kept = rows.filter(({ kept: plans }) => plans > 0).map(({ sql }) => sql);
    expect(kept).toEqual(expect.arrayContaining(['/* claim */ WITH', '/* relay */ WITH']));
  });
});
