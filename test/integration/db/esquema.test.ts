import { readFile } from 'node:fs/promises';
import { createIdempotencia } from '@acuse/db';
import { expect, test } from 'vitest';
import { readModels } from '../../architecture/data-model.ts';
import { testDatabase, useDatabase } from '../fixtures/database.ts';

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

test('the migration of kept answers removes answers in clear, of which none is given or made again', async () => {
  const { db, close } = await testDatabase();
  try {
    await db.pool.query('ALTER TABLE idempotencia DROP COLUMN sobre CASCADE, ADD COLUMN respuesta text');
    const request = { apiKeyId: 'llave', operacion: 'tax/facturas', clave: 'pedido-1' };
    await db.pool.query(
      `INSERT INTO idempotencia (api_key_id, operacion, clave, cuerpo_hash, op_id, status, respuesta, bloqueada_hasta)
       VALUES ($1, $2, $3, $4, gen_random_uuid(), 200, '{"rfc":"ACU200101DB1"}', now())`,
      [...Object.values(request), Buffer.alloc(32, 1)],
    );
    const name = '20261122110000_respuestas_selladas';
    const file = new URL(`../../../prisma/migrations/${name}/migration.sql`, import.meta.url);
    await db.pool.query(await readFile(file, 'utf8'));
    const { rows } = await db.pool.query('SELECT i::text AS row FROM idempotencia i');
    expect(rows).toEqual([{ row: expect.not.stringMatching(/ACU200101DB1|0101010101/) }]);
    const again = { ...request, cuerpoHash: Buffer.alloc(32, 1), opId: crypto.randomUUID() };
    expect(await createIdempotencia(db).begin({ ...again, bloqueoSegundos: 60 })).toEqual({ resultado: 'OTRO_CUERPO' });
  } finally {
    await close();
  }
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
