import { expect, test } from 'vitest';
import { readModels } from '../../architecture/data-model.ts';
import { useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

test('prisma/schema.prisma has the tables of a migrated database, with their columns, types and what may be null', async () => {
  const { rows } = await t.db.pool.query<{ column: string }>(
    `SELECT format('%s.%s %s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN '' ELSE '?' END) AS column
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '_prisma_migrations'`,
  );
  const columns = [...readModels().values()].flatMap((table) =>
    [...table.columns.values()].map(
      ({ name, dbType, isOptional }) => `${table.name}.${name} ${dbType}${isOptional ? '?' : ''}`,
    ),
  );
  expect(columns.sort()).toEqual(rows.map(({ column }) => column).sort());
});

test('no connection has its statements compiled, and none forbids the planner a way to read a table', async () => {
  const text = `SELECT name, setting FROM pg_settings WHERE name IN ('jit', 'enable_seqscan', 'enable_bitmapscan') ORDER BY name`;
  const expected = [
    { name: 'enable_bitmapscan', setting: 'on' },
    { name: 'enable_seqscan', setting: 'on' },
    { name: 'jit', setting: 'off' },
  ];
  expect((await t.db.pool.query(text)).rows).toEqual(expected);
  expect(await t.db.prisma.$queryRawUnsafe(text)).toEqual(expected);
});

test('the unique keys of prisma/schema.prisma are those of a migrated database', async () => {
  const { rows } = await t.db.pool.query<{ unique: string }>(
    `SELECT format('%s (%s)', c.relname, (SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(i.indkey::int[]) WITH ORDINALITY k (attnum, n)
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum)) AS unique
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> '_prisma_migrations' AND i.indisunique AND i.indpred IS NULL`,
  );
  const uniques = [...readModels().values()].flatMap((table) =>
    [table.key, ...table.uniques].map(
      (fields) => `${table.name} (${fields.map((field) => table.columns.get(field)?.name).join(', ')})`,
    ),
  );
  expect(uniques.sort()).toEqual(rows.map(({ unique }) => unique).sort());
});
