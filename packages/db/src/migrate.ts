import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { OPERACIONES } from '@acuse/contract';
import pg from 'pg';
import { SESSION_OPTIONS } from './database.ts';
import { transactionOn } from './transaction.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

/** Any number: what matters is that every runner takes the same one. */
const LOCK = 7_211_964_031;

const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id                  varchar(36) PRIMARY KEY,
  checksum            varchar(64) NOT NULL,
  finished_at         timestamptz,
  migration_name      varchar(255) NOT NULL,
  logs                text,
  rolled_back_at      timestamptz,
  started_at          timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

/** A migration on disk is not the one that was applied, or one applied is missing. */
export class MigracionAlterada extends Error {
  constructor(name: string) {
    super(`migration ${name} differs from the one that this database has: migrations are never edited after release`);
    this.name = 'MigracionAlterada';
  }
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(`${MIGRATIONS}/${name}/migration.sql`, 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Brings a database to the newest schema: every pending migration in a transaction of its own, under an advisory lock,
 * noted in `_prisma_migrations` as Prisma's own `migrate deploy` notes it, so that the two agree. Then adds the
 * operations that the table `operacion` does not have. Safe to run from many processes at once. Returns the names
 * applied now. Throws {@link MigracionAlterada} when history does not match.
 */
export async function migrate(url: string): Promise<string[]> {
  const migrations = await readMigrations();
  const client = new pg.Client({ connectionString: url, application_name: 'acuse-migrate', options: SESSION_OPTIONS });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(TABLE);
    const { rows } = await client.query<{ migration_name: string; checksum: string }>(
      'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
    );
    const applied = new Map(rows.map((row) => [row.migration_name, row.checksum]));
    for (const name of applied.keys())
      if (!migrations.some((migration) => migration.name === name)) throw new MigracionAlterada(name);

    const done: string[] = [];
    for (const migration of migrations) {
      const checksum = applied.get(migration.name);
      if (checksum === migration.checksum) continue;
      if (checksum !== undefined) throw new MigracionAlterada(migration.name);
      await applyMigration(client, migration);
      done.push(migration.name);
    }
    await client.query('INSERT INTO operacion (path) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [
      OPERACIONES.map(({ path }) => path),
    ]);
    return done;
  } finally {
    await client.end();
  }
}

async function applyMigration(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await transactionOn(client, async () => {
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
  });
}
