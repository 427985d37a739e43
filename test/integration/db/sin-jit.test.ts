import { expect, test } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

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
