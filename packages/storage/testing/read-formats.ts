import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Formato } from '@acuse/contract';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';

/** A row as any reader gives it: texts, amounts as numbers, dates as `yyyy-MM-ddTHH:mm:ss`, null for nothing. */
export type ReadRow = Readonly<Record<string, string | number | boolean | null>>;

/** Runs SQL of DuckDB over files, `$dir` being their folder; gives the rows of the answer. */
export async function query(
  files: ReadonlyMap<string, Buffer>,
  sql: string,
): Promise<Record<string, string | boolean | null>[]> {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-formats-'));
  try {
    for (const [name, content] of files) await writeFile(join(dir, name), content);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      const reader = await connection.runAndReadAll(sql.replaceAll('$dir', dir));
      return reader.getRowObjectsJson() as Record<string, string | boolean | null>[];
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  } finally {
    await rm(dir, { recursive: true });
  }
}

const READ_NDJSON = `SELECT * FROM read_json('$dir/metadata.ndjson', format = 'nd', sample_size = -1)`;

const parseCsv = (content: Buffer) =>
  parse(content, { columns: true, record_delimiter: '\r\n' }) as Record<string, string>[];

/** The rows of a ZIP of ours, read by DuckDB, by hucre from a workbook, and by csv-parse from CSV. */
export async function readMetadata(formato: Formato, zip: ReadonlyMap<string, Buffer>): Promise<ReadRow[]> {
  const files = new Map([...zip].filter(([name]) => name.startsWith('metadata')));
  const content = (name: string) => files.get(name) ?? Buffer.alloc(0);
  switch (formato) {
    case 'csv':
      return parseCsv(content('metadata.csv')).map(typed);
    case 'ndjson':
      return (await query(files, READ_NDJSON)).map(typed);
    case 'parquet':
      return (await query(files, `SELECT * FROM '$dir/metadata.parquet'`)).map(typed);
    case 'xlsx':
      return (await Promise.all([...files.values()].map(rowsOfWorkbook))).flat();
  }
}

const typed = (row: Record<string, string | boolean | null>): ReadRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (value === null || value === '') return [name, null];
      if (name === 'monto') return [name, Number(value)];
      // DuckDB finds by itself that the text of ndjson is a UUID, and shows it its own way.
      if (name === 'uuid') return [name, String(value).toUpperCase()];
      return [name, name.startsWith('fecha') ? String(value).replace(' ', 'T') : value];
    }),
  );

/** Cell by cell: a date has to be one of the sheet, or else it stays the text that it is. */
async function rowsOfWorkbook(content: Buffer): Promise<ReadRow[]> {
  const { sheets } = await readXlsx(content);
  const [header = [], ...rows] = sheets[0]?.rows ?? [];
  return rows.map((row) =>
    Object.fromEntries(
      header.map((name, column) => {
        const value = row[column] ?? null;
        return [String(name), value instanceof Date ? instantOf(value) : (value as string | number | boolean | null)];
      }),
    ),
  );
}

/** To the second: a cell holds a fraction of a day. */
function instantOf(date: Date): string {
  return new Date(Math.round(date.getTime() / 1_000) * 1_000).toISOString().slice(0, 19);
}
