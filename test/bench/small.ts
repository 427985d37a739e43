import { Pool } from 'pg';
import { startS3 } from '../../packages/storage/testing/s3-fixture.ts';
import { type Servers, startCpus } from './cpu.ts';
import { askFor, openService } from './stack.ts';

const RFC = 'ACU200101DB1';
/** Downloads at the same time: each waits most of its time for the simulated authority. */
const LANES = 4;
/** Goals for one download, and for a second at rest. */
const AIM = { workerMs: 40, allMs: 75, s3: 6, transactions: 14, sessions: 0, atRest: 3 };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const dayOf = (n: number) => new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10);

/**
 * Cost of one small download by e.firma, from its request to its ZIP: processor, requests to S3, transactions and new
 * sessions of the database, all processes counted, and the transactions of a second at rest. Needs Linux for the
 * processor (NaN elsewhere).
 */
export async function benchSmall(servers: Servers, share: number): Promise<void> {
  const s3 = await startS3();
  const service = await openService(servers, {
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: s3.settings().bucket,
    S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  });
  const pool = new Pool({ connectionString: service.databaseUrl, max: 1 });
  let asked = 0;
  const ask = async <T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> => {
    asked += 1;
    return (await pool.query<T>(text, [...values])).rows;
  };
  /** Counters of the database without the questions of this process; they are written once a second at most. */
  const counters = async () => {
    await pause(1_500);
    const [row] = await ask<{ transactions: number; sessions: number }>(
      'SELECT xact_commit::float8 AS transactions, sessions::float8 AS sessions FROM pg_stat_database WHERE datname = current_database()',
    );
    if (row === undefined) throw new Error('the database has no counters');
    return { transactions: row.transactions - asked, sessions: row.sessions };
  };
  /** Rows that were ever inserted into each table. */
  const inserted = async () => {
    const rows = await ask<{ name: string; rows: number }>(
      'SELECT relname AS name, n_tup_ins::float8 AS rows FROM pg_stat_user_tables',
    );
    return new Map(rows.map((row) => [row.name, row.rows]));
  };
  try {
    const call = await service.newCaller(RFC);
    const downloads = Math.max(LANES, Math.ceil(share * 200));
    const run = async (from: number, to: number) => {
      const left = Array.from({ length: to - from }, (_, n) => dayOf(from + n)).values();
      const lane = async () => {
        for (const day of left) {
          const id = await askFor(call, RFC, day, day);
          const hasEnded = async () =>
            (await ask('SELECT FROM solicitud WHERE id = $1 AND estado = $2', [id, 'TERMINADA'])).length > 0;
          while (!(await hasEnded())) await pause(200);
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    };
    await run(0, LANES);

    const restSeconds = 1 + Math.ceil(9 * share);
    const resting = await counters();
    await pause(restSeconds * 1_000);
    const rested = await counters();
    const atRest = (rested.transactions - resting.transactions) / (restSeconds + 1.5);

    const [before, rowsBefore, started] = [await counters(), await inserted(), performance.now()];
    s3.requests.length = 0;
    const spent = await startCpus(service.processes);
    await run(LANES, LANES + downloads);
    const cpu = (await spent()).map(({ name, ms }) => [name, ms / downloads] as const);
    const after = await counters();
    const seconds = (performance.now() - started) / 1_000;
    const each = (n: number) => (n / downloads).toFixed(1);
    const all = cpu.filter(([name]) => name !== 'simulador').reduce((sum, [, ms]) => sum + ms, 0);
    const transactions = after.transactions - before.transactions - atRest * seconds;
    console.log(
      `small: ${downloads} downloads of a day by e.firma, ms of processor for each: ${cpu.map(([name, ms]) => `${name} ${ms.toFixed(0)}`).join(', ')} (aim worker ${AIM.workerMs}); all but the simulator ${all.toFixed(0)} (aim ${AIM.allMs})`,
    );
    console.log(
      `small: for each: ${each(s3.requests.length)} requests to S3 (aim ${AIM.s3}), ${each(transactions)} transactions (aim ${AIM.transactions}), ${each(after.sessions - before.sessions)} new sessions of the database (aim ${AIM.sessions}); at rest: ${atRest.toFixed(1)} transactions a second (aim ${AIM.atRest})`,
    );
    const rows = [...(await inserted())]
      .map(([name, n]) => [name, (n - (rowsBefore.get(name) ?? 0)) / downloads] as const)
      .filter(([, n]) => n >= 0.1)
      .toSorted(([, a], [, b]) => b - a);
    const together = rows.reduce((sum, [, n]) => sum + n, 0);
    console.log(
      `small: ${together.toFixed(1)} rows inserted for each: ${rows.map(([name, n]) => `${name} ${n.toFixed(1)}`).join(', ')}`,
    );
  } finally {
    await pool.end();
    await service.close();
    await s3.close();
  }
}
