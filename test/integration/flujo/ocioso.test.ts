import { Pool } from 'pg';
import { expect, inject, it } from 'vitest';
import { queueAt } from '../fixtures/drivers.ts';
import { STEPS } from '../fixtures/procesos.ts';
import { useServicio, waitFor } from '../fixtures/servicio.ts';

/** Transactions a second of a process without work, and its connections; the queue's have a database of their own. */
const MOST = { transactions: 0.5, connections: 3 };
/** Transactions of the start: the server counts some of them ten seconds later. */
const START = 20;
/**
 * Transactions and seconds of a window: two come at once every five seconds, so that a shorter one would tell a wrong rate.
 * Of three windows the quietest counts: each minute autovacuum adds its own transactions, some fifty within seconds.
 */
const [COUNTED, SECONDS, WINDOWS] = [12, 20, 3];

const queueUrl = queueAt(undefined);
const servicio = useServicio(() => ({ queueUrl: queueUrl() }), STEPS);

it('a worker without work sends little more than its heartbeats, and listens to nothing', async () => {
  const database = new URL(servicio.databaseUrl).pathname.slice(1);
  // From another database: its own questions are not counted.
  const pool = new Pool({ connectionString: inject('postgresUrl'), max: 1 });
  const ask = async <R extends object>(text: string) => (await pool.query<R>(text, [database])).rows;
  const commits = async () => {
    const [row] = await ask<{ n: number; at: number }>(
      `SELECT xact_commit::float8 AS n, extract(epoch FROM clock_timestamp())::float8 AS at FROM pg_stat_database WHERE datname = $1`,
    );
    return row ?? { n: 0, at: 0 };
  };
  const after = async (count: number, seconds: number) => {
    const { n, at } = await commits();
    return waitFor(async () => {
      const now = await commits();
      return now.n >= n + count && now.at >= at + seconds ? now : null;
    });
  };
  try {
    let from = await after(START, 0);
    const rates: number[] = [];
    while (rates.length < WINDOWS && !rates.some((rate) => rate <= MOST.transactions)) {
      const to = await after(COUNTED, SECONDS);
      rates.push((to.n - from.n) / (to.at - from.at));
      from = to;
    }
    expect(Math.min(...rates)).toBeLessThanOrEqual(MOST.transactions);
    const sessions = await ask<{ name: string }>(
      `SELECT application_name AS name FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE 'acuse-worker%'`,
    );
    expect(new Set(sessions.map(({ name }) => name))).toEqual(new Set(['acuse-worker']));
    expect(sessions.length).toBeLessThanOrEqual(MOST.connections);
  } finally {
    await pool.end();
  }
});
