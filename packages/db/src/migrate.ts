import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { OPERACIONES } from '@acuse/contract';
import type pg from 'pg';
import { SESSION_OPTIONS } from './database.ts';
import { Client, directUrl } from './instalacion/client.ts';
import { applyPermisos } from './permisos/permisos.ts';
import { transactionOn } from './transaction.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const FUNCTIONS = fileURLToPath(new URL('../../../prisma/functions', import.meta.url));

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

/** Holds the tables of all migrations up to {@link LAST_BEFORE_BASE}. */
const BASE = '20261124172901_base';
const LAST_BEFORE_BASE = '20261124172900_advertencias';

/** Row with the checksum of `prisma/functions`. Triggers lock their tables, so they are written only after a change. */
const FUNCTIONS_ROW = '00000000000000_functions';

/** The database has migrations, but not all that {@link BASE} replaces. */
class BaseAnterior extends Error {
  override readonly name = 'BaseAnterior';

  constructor() {
    super(
      `La base de datos es de una versión que esta no sabe actualizar: le falta la migración ${LAST_BEFORE_BASE}. No se cambió nada. Ejecute primero «migrar» con el programa de una versión que la tenga, y después con este.`,
    );
  }
}

/** The database has a migration that this version does not: a later version was here. */
class BasePosterior extends Error {
  override readonly name = 'BasePosterior';

  constructor(migration: string) {
    super(
      `La base de datos es de una versión posterior de Acuse: tiene la migración ${migration}, que esta no conoce. No se cambió nada. Use el programa de esa versión. Para volver a esta, inicie sus procesos sin «migrar» (docs/operators/operate.md, paso 11).`,
    );
  }
}

/** A migration on disk is not the one that was applied. */
export class AlteredMigration extends Error {
  constructor(name: string) {
    super(`migration ${name} differs from the one that this database has: migrations are never edited after release`);
    this.name = 'AlteredMigration';
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

/** How a database's schema stands to this version's. */
export interface MigrationState {
  /** Names of what this version has and the database has not, in their order. */
  readonly pending: readonly string[];
  /** What only the database has: a later version was here. */
  readonly unknown: readonly string[];
  /** What both have, with different texts. */
  readonly altered: readonly string[];
}

function compare(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, string>,
): {
  readonly pending: readonly Migration[];
  readonly unknown: readonly string[];
  readonly altered: readonly string[];
} {
  const known = new Set(migrations.map(({ name }) => name));
  return {
    pending: migrations.filter(({ name }) => !applied.has(name)),
    unknown: [...applied.keys()].filter((name) => name > BASE && !known.has(name)),
    altered: migrations
      .filter(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum)
      .map(({ name }) => name),
  };
}

async function readApplied(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

/** Compares without changing anything; a database without the table of migrations has none. */
export async function readMigrationState(client: pg.Client): Promise<MigrationState> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`,
  );
  const applied = rows[0]?.found === true ? await readApplied(client) : new Map<string, string>();
  const { pending, unknown, altered } = compare(await readMigrations(), applied);
  return { pending: pending.map(({ name }) => name), unknown, altered };
}

/** Only what changed is written: processes that charge read it. */
const PRICES = `
INSERT INTO operacion AS o (path, costo) SELECT * FROM unnest($1::text[], $2::integer[])
ON CONFLICT (path) DO UPDATE SET costo = excluded.costo WHERE o.costo <> excluded.costo`;

/** What a run of {@link migrate} did. */
export interface Migrated {
  /** Names of the migrations that were applied now. */
  readonly aplicadas: readonly string[];
  /** Roles that are missing and could not be made: no rights were given. */
  readonly faltanRoles: readonly string[];
  /** Processes of the version before keep their rights until the next run. */
  readonly anteriores: boolean;
}

/**
 * Brings a database to the newest schema: every pending migration in a transaction of its own, under an advisory lock,
 * noted in `_prisma_migrations` as Prisma's own `migrate deploy` notes it, so that the two agree. Then writes the
 * functions of `prisma/functions`, the operations with their prices, and what each role may do. `anteriores`: processes
 * of the version before go on, and keep the rights that they need until the next run; so it is by default when a
 * database of theirs is brought to this version. Safe to run from many processes at once. Throws
 * {@link BasePosterior} or {@link AlteredMigration} when history does not match.
 */
export async function migrate(url: string, options: { readonly anteriores?: boolean } = {}): Promise<Migrated> {
  const migrations = await readMigrations();
  const client = new Client({
    connectionString: directUrl(url),
    application_name: 'acuse-migrate',
    options: SESSION_OPTIONS,
  });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(TABLE);
    const applied = await readApplied(client);
    const { pending, unknown, altered } = compare(migrations, applied);
    const newest = unknown.toSorted().at(-1);
    if (newest !== undefined) throw new BasePosterior(newest);
    const [wrong] = altered;
    if (wrong !== undefined) throw new AlteredMigration(wrong);
    const isReplaced = applied.size > 0 && !applied.has(BASE);
    if (isReplaced && !applied.has(LAST_BEFORE_BASE)) throw new BaseAnterior();
    for (const migration of pending)
      await applyMigration(client, isReplaced && migration.name === BASE ? { ...migration, sql: '' } : migration);
    await applyFunctions(client, applied.get(FUNCTIONS_ROW));
    await client.query(PRICES, [OPERACIONES.map(({ path }) => path), OPERACIONES.map(({ costo }) => costo)]);
    const { anteriores = applied.size > 0 && pending.length > 0 } = options;
    const missing = await applyPermisos(client, { anteriores });
    return {
      aplicadas: pending.map(({ name }) => name),
      faltanRoles: missing,
      anteriores: anteriores && missing.length === 0,
    };
  } finally {
    await client.end();
  }
}

/**
 * Each function, trigger and view has one text, which replaces the one before; who may call a function is written beside
 * it, in the same transaction. Bodies are not checked: a file may call what a later one holds.
 */
async function applyFunctions(client: pg.Client, applied: string | undefined): Promise<void> {
  const names = (await readdir(FUNCTIONS)).filter((name) => name.endsWith('.sql')).sort();
  const texts = await Promise.all(names.map((name) => readFile(`${FUNCTIONS}/${name}`, 'utf8')));
  const sql = ['SET LOCAL check_function_bodies = off', ...texts].join(';\n');
  const checksum = createHash('sha256').update(sql).digest('hex');
  if (checksum === applied) return;
  await applyMigration(client, { name: FUNCTIONS_ROW, sql, checksum });
}

async function applyMigration(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await transactionOn(client, async () => {
    await client.query(sql);
    await client.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [name]);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
  });
}
