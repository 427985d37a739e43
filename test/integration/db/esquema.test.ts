import { expect, test } from 'vitest';
import { readModels } from '../../architecture/data-model.ts';
import { useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

test('prisma/schema.prisma has the tables of a migrated database, with their columns, types and what may be null', async () => {
  const { rows } = await t.db.pool.query<{ column: string }>(
    `SELECT format('%s.%s %s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN '' ELSE '?' END) AS column
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> '_prisma_migrations'`,
  );
  const columns = [...readModels().values()].flatMap((table) =>
    [...table.columns.values()].map(
      ({ name, dbType, isOptional }) => `${table.name}.${name} ${dbType}${isOptional ? '?' : ''}`,
    ),
  );
  expect(columns.sort()).toEqual(rows.map(({ column }) => column).sort());
});
