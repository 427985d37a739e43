import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { migrate } from '@acuse/db';
import { createDatabase, findSystemPostgres, startPostgres } from '@acuse/embedded';
import { silentLogger as log } from '@acuse/runtime';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { duringTests } from '../fixtures/during-tests.ts';
import { tools } from '../fixtures/respaldo.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BASE = 'prisma/migrations/20261124172901_base/migration.sql';
const run = promisify(execFile);
const git = async (...args: string[]) =>
  (await run('git', ['-C', ROOT, ...args], { maxBuffer: 16 * 1_048_576 })).stdout.trim();

/** A server of its own: `migrate` lets login roles of the whole server in, which other tests look at. */
const server = duringTests(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'acuse-base-'));
  // Of one version with its pg_dump.
  const system = await findSystemPostgres();
  const postgres = await startPostgres({ dataDir, log, durable: false, ...(system && { binaries: system }) });
  return {
    admin: postgres.url,
    async close() {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
});

/** The last commit before the base; null where the history does not reach back. */
const before = await git('log', '--diff-filter=A', '--format=%H', '--', BASE)
  .then((added) => git('rev-parse', '--verify', '--quiet', `${added.split('\n').at(-1)}^`))
  .catch(() => null);

/** A database with the migrations of the commit before the base, as their runner noted them. */
async function olderDatabase(upTo = Number.POSITIVE_INFINITY): Promise<string> {
  const url = await emptyDatabase('vieja');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz,
    migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0)`);
  const files = (await git('ls-tree', '-r', '--name-only', before ?? '', 'prisma/migrations')).split('\n');
  for (const file of files.filter((name) => name.endsWith('.sql')).slice(0, upTo)) {
    await client.query(await git('show', `${before}:${file}`));
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name) VALUES (gen_random_uuid(), $1, now(), $2)',
      ['', file.split('/').at(-2)],
    );
  }
  await client.end();
  return url;
}

const emptyDatabase = (name: string) => createDatabase(server.admin, `${name}_${Date.now()}`);

/** The schema with its rights, without the random key of each dump. */
async function schemaOf(url: string): Promise<string> {
  const { stdout } = await run(`${tools}/pg_dump`, ['--schema-only', url], { maxBuffer: 16 * 1_048_576 });
  return stdout.replace(/^\\(un)?restrict .*$/gm, '');
}

describe.skipIf(before === null || tools === null)('the base in place of the migrations before it', () => {
  it('brings a database that has all of them to the schema of a new one, and keeps its rows', async () => {
    const [older, fresh] = [await olderDatabase(), await emptyDatabase('nueva')];
    const client = new pg.Client({ connectionString: older });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(
      "INSERT INTO cuenta (id, nombre, email) VALUES (gen_random_uuid(), 'De antes', 'antes@example.com')",
    );
    expect((await migrate(older)).aplicadas).toContain('20261124172901_base');
    expect((await migrate(older, { anteriores: false })).aplicadas).toEqual([]);
    await migrate(fresh);
    expect(await schemaOf(older)).toBe(await schemaOf(fresh));
    expect((await client.query('SELECT nombre FROM cuenta')).rows).toEqual([{ nombre: 'De antes' }]);
  });

  it('refuses a database that lacks one of them, and changes nothing there', async () => {
    const older = await olderDatabase(-1);
    const schema = await schemaOf(older);
    await expect(migrate(older)).rejects.toThrow(
      /le falta la migración 20261124172900_advertencias\. No se cambió nada/,
    );
    expect(await schemaOf(older)).toBe(schema);
  });
});

it('runs again beside an open transaction that writes: unchanged functions and triggers lock no table', async () => {
  const url = await emptyDatabase('nueva');
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  await client.query('UPDATE solicitud SET motivo = NULL WHERE false');
  await client.query('LOCK TABLE cuenta, movimiento IN ROW EXCLUSIVE MODE');
  expect((await migrate(url)).aplicadas).toEqual([]);
});
