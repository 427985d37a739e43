import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { residentBytes } from '../../packages/embedded/src/children.ts';
import { type Servers, startCpus } from './cpu.ts';
import { LANES, openDownloads } from './downloads.ts';

/** Goals for one download, and for a second at rest. */
const AIM = { workerMs: 40, allMs: 75, s3: 6, statements: 12, transactions: 14, sessions: 0, atRest: 3, restMb: 100 };

/**
 * Cost of one small download by e.firma, from its request to its ZIP: processor, requests to S3, transactions and new
 * sessions of the database, all processes counted, statements of the worker, and what a second at rest costs. Needs
 * Linux for processor and memory (NaN elsewhere).
 */
export async function benchSmall(servers: Servers, share: number): Promise<void> {
  const { service, s3, ask, counters, rest, run, close } = await openDownloads(servers);
  /** Rows that were ever inserted into each table. */
  const inserted = async () => {
    const rows = await ask<{ name: string; rows: number }>(
      'SELECT relname AS name, n_tup_ins::float8 AS rows FROM pg_stat_user_tables',
    );
    return new Map(rows.map((row) => [row.name, row.rows]));
  };
  /** Statements of workers while `work` is under way, from the log that PostgreSQL keeps beside its cluster. */
  const statementsOf = async (work: () => Promise<unknown>) => {
    const log = async () => {
      const [row] = await ask<{ cluster: string }>("SELECT current_setting('data_directory') AS cluster");
      return readFile(join(dirname(row?.cluster ?? ''), 'postgres.log'), 'utf8');
    };
    await ask("ALTER SYSTEM SET log_line_prefix = '%a '");
    await ask("ALTER SYSTEM SET log_statement = 'all'");
    await ask('SELECT pg_reload_conf()');
    const before = (await log()).length;
    await work();
    const lines = (await log()).slice(before).matchAll(/^acuse-worker\S* LOG: {2}(?:execute|statement)/gm);
    await ask('ALTER SYSTEM RESET ALL');
    await ask('SELECT pg_reload_conf()');
    return [...lines].length;
  };
  try {
    const downloads = Math.max(LANES, Math.ceil(share * 200));
    await run(0, LANES);

    const atRest = await rest(1 + Math.ceil(9 * share));
    const restMb = ((await residentBytes(service.worker.pid)) ?? Number.NaN) / 1_048_576;

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
    const counted = Math.ceil(downloads / 10);
    const since = performance.now();
    const statements = await statementsOf(() => run(LANES + downloads, LANES + downloads + counted));
    const working = (statements - (atRest * (performance.now() - since)) / 1_000) / counted;
    console.log(
      `small: for each: ${each(s3.requests.length)} requests to S3 (aim ${AIM.s3}), ${working.toFixed(1)} statements of the worker (aim ${AIM.statements}), ${each(transactions)} transactions (aim ${AIM.transactions}), ${each(after.sessions - before.sessions)} new sessions of the database (aim ${AIM.sessions}); at rest: ${atRest.toFixed(1)} transactions a second (aim ${AIM.atRest}), ${restMb.toFixed(0)} MB in the worker (aim ${AIM.restMb})`,
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
    await close();
  }
}
