import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readModels } from './data-model.ts';
import { takenBy } from './migrations.ts';
import { isTest, ROOT, readSources } from './sources.ts';

/** Holds all migrations before it, and was applied to no installation. */
const BASE = '20261124172901_base';
/** Tables of removed operations. In the version before, these operations alone fail until its processes are replaced. */
const RETIRED: Readonly<Record<string, readonly string[]>> = {};
const names = readdirSync(`${ROOT}prisma/migrations`).filter((name) => /^\d{14}_/.test(name) && name > BASE);
const sqlOf = (name: string) => readFileSync(`${ROOT}prisma/migrations/${name}/migration.sql`, 'utf8');

const git = (...args: string[]): string | null => {
  try {
    return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
};

/** Tables and columns that the version before a migration uses; null where the history does not reach back. */
function usedBefore(name: string): ReadonlyMap<string, ReadonlySet<string>> | null {
  const path = `prisma/migrations/${name}/migration.sql`;
  const commit = git('log', '--diff-filter=A', '--format=%H', '--', path)?.trim().split('\n').at(-1) ?? '';
  const schema = git('show', `${commit === '' ? 'HEAD' : `${commit}^`}:prisma/schema.prisma`);
  if (schema === null) return null;
  const tables = [...readModels(schema).values()];
  return new Map(
    tables.map((table) => [table.name, new Set([...table.columns.values()].map((column) => column.name))]),
  );
}

describe('a migration', () => {
  it.each(names)(
    '%s takes nothing away that the version before it uses, and demands nothing which that does not write',
    (name) => {
      const used = usedBefore(name);
      const taken = takenBy(sqlOf(name)).filter(({ what, table, column }) => {
        const columns = used?.get(table);
        if (what === 'drop' && column === undefined && RETIRED[name]?.includes(table)) return false;
        if (used !== null && columns === undefined) return false;
        return column === undefined || what === 'demand' || used === null || columns?.has(column);
      });
      expect(taken).toEqual([]);
    },
  );

  it.each(Object.entries(RETIRED))('%s drops tables that no source names any more', (name, tables) => {
    expect(takenBy(sqlOf(name)).map(({ table }) => table)).toEqual(expect.arrayContaining([...tables]));
    const sources = readSources().filter((source) => !isTest(source));
    const texts = [...sources.map(({ text }) => text), readFileSync(`${ROOT}prisma/permisos.sql`, 'utf8')];
    expect(texts.filter((text) => tables.some((table) => new RegExp(`\\b${table}\\b`).test(text)))).toEqual([]);
    expect([...readModels().values()].filter((table) => tables.includes(table.name))).toEqual([]);
  });

  it.each([
    ['ALTER TABLE a DROP COLUMN b', 'drop', 'b'],
    ['ALTER TABLE ONLY a\n  ADD COLUMN c text,\n  DROP b;', 'drop', 'b'],
    ['ALTER TABLE IF EXISTS "a" RENAME COLUMN "b" TO c', 'rename', 'b'],
    ['ALTER TABLE a RENAME TO z', 'rename', undefined],
    ['DROP TABLE IF EXISTS a CASCADE', 'drop', undefined],
    ['ALTER TABLE a ALTER COLUMN b TYPE bigint', 'retype', 'b'],
    ['ALTER TABLE a ALTER b SET NOT NULL', 'demand', 'b'],
    ['ALTER TABLE a ADD COLUMN b text NOT NULL, ADD COLUMN c text', 'demand', 'b'],
  ] as const)('would be refused: %s', (sql, what, column) => {
    expect(takenBy(sql)).toEqual([{ what, table: 'a', column }]);
  });

  it.each([
    'ALTER TABLE a ADD COLUMN b text, ADD COLUMN c integer NOT NULL DEFAULT 0',
    "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT 'x' CHECK (b IN ('x', 'y'))",
    'ALTER TABLE a DROP CONSTRAINT a_check, ALTER COLUMN b DROP NOT NULL, ALTER COLUMN b DROP DEFAULT',
    'ALTER INDEX a_b RENAME TO a_c; DROP INDEX a_c; -- ALTER TABLE a DROP COLUMN b',
    'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ ALTER TABLE a DROP COLUMN b; $$',
    'CREATE TABLE a (b text NOT NULL)',
  ])('may do this: %s', (sql) => {
    expect(takenBy(sql)).toEqual([]);
  });
});
