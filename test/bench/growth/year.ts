import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRetention, type Database } from '@acuse/db';
import { createDatabase } from '@acuse/embedded';
import { fillDatabase } from '../../integration/fixtures/gran-base.ts';
import type { Servers } from '../cpu.ts';
import { openFilled } from './axes.ts';

/** Measured part of 100,000 taxpayers with two requests a day each. */
const SHARE = 1 / 100;
const [TAXPAYERS, A_DAY, DAYS] = [100_000, 2, 365];
/** Days until traces are deleted: the default of TRACE_RETENTION_DAYS. */
const TRACE_DAYS = 90;
/** Days whose traces are deleted for the measurement. */
const PRUNED_DAYS = 10;

/** Tables that grow with requests, and how many days a row lives. */
const TABLES = {
  solicitud: null,
  movimiento: null,
  evento: TRACE_DAYS,
  paso: TRACE_DAYS,
  parte: TRACE_DAYS,
  paquete_sat: TRACE_DAYS,
};
const run = promisify(execFile);

type Table = keyof typeof TABLES;

interface Size {
  readonly name: Table;
  readonly rows: number;
  /** With its indexes. */
  readonly bytes: number;
}

async function sizesOf({ pool }: Database): Promise<Size[]> {
  const { rows } = await pool.query<Size>(
    `SELECT relname AS name, reltuples::float8 AS rows, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname = ANY ($1) ORDER BY bytes DESC`,
    [Object.keys(TABLES)],
  );
  return rows;
}

/** Seconds that `work` takes. */
async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

/** Seconds of a backup with pg_dump and of its restoration, without the rows of messages. */
async function backupOf(url: string, server: string) {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-year-'));
  const file = join(dir, 'acuse.dump');
  const without = ['webhook*', 'correo*'].map((tables) => `--exclude-table-data=${tables}`);
  const dumping = await secondsOf(() => run('pg_dump', ['--format=custom', ...without, `--file=${file}`, url]));
  const other = await createDatabase(server, `restored_${process.pid}`);
  const restoring = await secondsOf(() => run('pg_restore', ['--no-owner', '--no-acl', `--dbname=${other}`, file]));
  await rm(dir, { recursive: true });
  return { dumping, restoring };
}

/** The size of a year, measured with a hundredth of its requests and computed for all, as a section of growth.md. */
export async function measureYear(servers: Servers, share: number): Promise<string> {
  const requests = Math.ceil(share * SHARE * TAXPAYERS * A_DAY * DAYS);
  const { db, url } = await openFilled(servers, (url) => fillDatabase(url, { solicitudes: requests }));
  const sizes = await sizesOf(db);
  const retention = createRetention(db);
  const prune = () => retention.prune({ traceDays: DAYS - PRUNED_DAYS, auditDays: 10 * DAYS, limit: 100 });
  const deleting = await secondsOf(async () => {
    while (await prune());
  });
  const vacuum = await secondsOf(() => db.pool.query('VACUUM evento, paso, parte, paquete_sat'));
  await db.close();
  const times = await backupOf(url, servers.postgres.url);
  return sectionOf({ requests, sizes, deleting: deleting / PRUNED_DAYS, vacuum, ...times });
}

interface Year {
  readonly requests: number;
  readonly sizes: readonly Size[];
  /** Seconds: deletion of the traces of a day, vacuum of their tables, backup and restoration. */
  readonly deleting: number;
  readonly vacuum: number;
  readonly dumping: number;
  readonly restoring: number;
}

const whole = (value: number) => Math.round(value).toLocaleString('en-US');

/** Section of growth.md about a year, Markdown. */
export function sectionOf({ requests, sizes, ...seconds }: Year): string {
  const times = (TAXPAYERS * A_DAY * DAYS) / requests;
  /** Part of the year's rows that are there at its end. */
  const kept = ({ name }: Size) => (TABLES[name] ?? DAYS) / DAYS;
  const total = (of: (size: Size) => number, among = sizes) => among.reduce((sum, size) => sum + of(size), 0);
  const line = (name: string, days: string | number, among = sizes) => {
    const after = (of: (size: Size) => number) => times * total((size) => of(size) * kept(size), among);
    const [rows, bytes] = [total((size) => size.rows, among), total((size) => size.bytes, among)];
    const all = [after((size) => size.rows) / 1e6, after((size) => size.bytes) / 1e9];
    return `| ${name} | ${days} | ${(rows / requests).toFixed(1)} | ${whole(bytes / requests)} | ${(bytes / 1e9).toFixed(2)} | ${all.map(whole).join(' | ')} |`;
  };
  const share = total((size) => size.bytes * kept(size)) / total((size) => size.bytes);
  const took = (name: string, measured: number, computed: number) =>
    `| ${name} | ${measured.toFixed(1)} | ${(computed / 60).toFixed(0)} |`;
  return `## A year of ${whole(TAXPAYERS)} taxpayers

Measured with ${whole(requests)} requests (${A_DAY} a day, one taxpayer of ${whole(times)}), computed for all; indexes included. \`npm run bench -- year\` writes this section alone.

| table | days kept | rows a request | bytes a request | GB measured | million rows after a year | GB after a year |
| --- | --- | --- | --- | --- | --- | --- |
${sizes.map((size) => line(`\`${size.name}\``, TABLES[size.name] ?? 'all', [size])).join('\n')}
${line('together', '')}

| work | seconds measured | minutes computed |
| --- | --- | --- |
${took('delete the traces of a day', seconds.deleting, seconds.deleting * times)}
${took('vacuum the tables of traces', seconds.vacuum, seconds.vacuum * times * (TRACE_DAYS / DAYS))}
${took('back up', seconds.dumping, seconds.dumping * times * share)}
${took('restore', seconds.restoring, seconds.restoring * times * share)}
`;
}
