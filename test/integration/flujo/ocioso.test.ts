import { Pool } from 'pg';
import { expect, inject, it } from 'vitest';
import { queueAt } from '../fixtures/drivers.ts';
import { STEPS } from '../fixtures/procesos.ts';
import { useServicio, waitFor } from '../fixtures/servicio.ts';

/** Transactions a second of a process without work, and its connections; the queue's have a database of their own. */
const MOST = { transactions: 0.5, connections: 3 };
/** Transactions that are waited for: those of the start may be counted seconds later. */
const [START, COUNTED] = [20, 10];

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
  const after = async (count: number) => {
    const { n } = await commits();
    return waitFor(async () => {
      const now = await commits();
      return now.n >= n + count ? now : null;
    });
  };
  try {
    const first = await after(START);
    const last = await after(COUNTED);
    expect((last.n - first.n) / (last.at - first.at)).toBeLessThanOrEqual(MOST.transactions);
    const sessions = await ask<{ name: string }>(
      `SELECT application_name AS name FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE 'acuse-worker%'`,
    );
    expect(new Set(sessions.map(({ name }) => name))).toEqual(new Set(['acuse-worker']));
    expect(sessions.length).toBeLessThanOrEqual(MOST.connections);
  } finally {
    await pool.end();
  }
});
