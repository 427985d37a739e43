import { Pool } from 'pg';
import type { Env } from '../../packages/embedded/src/stack-env.ts';
import { startS3 } from '../../packages/storage/testing/s3-fixture.ts';
import type { Servers } from './cpu.ts';
import { askFor, openService } from './stack.ts';

const RFC = 'ACU200101DB1';
/** Downloads at the same time: each waits most of its time for the simulated authority. */
export const LANES = 4;

/** Milliseconds until an idle session of PostgreSQL has reported its transactions. */
const REPORT_MS = 10_500;

/** Milliseconds between two looks at the loading of the lists, and how many looks there are at most. */
const [LOADING_MS, LOADING_TURNS] = [4_000, 30];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const dayOf = (n: number) => new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10);

/** A service with an object store that counts requests, counters of its database, and downloads of one taxpayer. */
export async function openDownloads(servers: Servers, workers?: readonly Env[]) {
  const s3 = await startS3();
  const access = {
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: s3.settings().bucket,
    S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  };
  const service = await openService(servers, access, workers);
  const pool = new Pool({ connectionString: service.databaseUrl, max: 1 });
  let asked = 0;
  const ask = async <T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> => {
    asked += 1;
    return (await pool.query<T>(text, [...values])).rows;
  };
  /** Counters of the database without the questions of this process. */
  const counters = async () => {
    await pause(REPORT_MS);
    const [row] = await ask<{ transactions: number; sessions: number }>(
      'SELECT xact_commit::float8 AS transactions, sessions::float8 AS sessions FROM pg_stat_database WHERE datname = current_database()',
    );
    if (row === undefined) throw new Error('the database has no counters');
    return { transactions: row.transactions - asked, sessions: row.sessions };
  };
  // The transactions that load the lists would be taken for those of a second at rest.
  const loaded = async () =>
    (
      await ask<{ rows: number }>(
        "SELECT n_tup_ins::float8 AS rows FROM pg_stat_user_tables WHERE relname = 'listado_fila'",
      )
    )[0]?.rows ?? 0;
  for (let [turn, before, now] = [0, -1, 0]; turn < LOADING_TURNS && (now === 0 || now !== before); turn += 1) {
    before = now;
    await pause(LOADING_MS);
    now = await loaded();
  }
  const call = await service.newCaller(RFC);
  return {
    service,
    s3,
    ask,
    counters,
    /** Transactions of a second without work. */
    async rest(seconds: number) {
      const before = await counters();
      await pause(seconds * 1_000);
      const after = await counters();
      return (after.transactions - before.transactions) / (seconds + REPORT_MS / 1_000);
    },
    /** Downloads of the days `from` to `to`, each from its request to its ZIP. */
    async run(from: number, to: number) {
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
    },
    async close() {
      await pool.end();
      await service.close();
      await s3.close();
    },
  };
}
