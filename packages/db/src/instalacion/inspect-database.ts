import type pg from 'pg';
import { SESSION_OPTIONS } from '../database.ts';
import { type MigrationState, readMigrationState } from '../migrate.ts';
import { ROLES_BASE, type RolBase, roleOf } from '../permisos/permisos.ts';
import { Client } from './client.ts';

/** What a server and a database are like, as far as our promises depend on it. */
export interface DatabaseFacts {
  /** As `server_version_num` says: 150004 is 15.4. */
  readonly version: number;
  readonly encoding: string;
  /** A replica, or sessions that begin read-only: nothing can be written. */
  readonly isReadOnly: boolean;
  /** Settings of durability that are off, by name: `fsync`, `full_page_writes`, `synchronous_commit`. */
  readonly notDurable: readonly string[];
  /** The start-up options of our sessions did not arrive: a pooler that the address does not name leaves them out. */
  readonly losesOptions: boolean;
  /** Connections that users without privileges may have, all together. */
  readonly maxConnections: number;
  /** Connections of clients at the moment, ours included. */
  readonly connections: number;
  readonly migrations: MigrationState;
  /** Processes of the version before still have the rights that they need (prisma/permisos-anteriores.sql). */
  readonly keepsAnteriores: boolean;
  /** Every user of the server may connect to this database. */
  readonly isOpenToAll: boolean;
  /** Connections of workers, and whether one of them holds the lock of the relay. */
  readonly workers: { readonly count: number; readonly isCoordinated: boolean };
  /** Milliseconds by which our clock is ahead of the server's; negative when it is behind. */
  readonly skewMs: number;
}

const FACTS = `
SELECT current_setting('server_version_num')::int AS version,
  pg_encoding_to_char((SELECT encoding FROM pg_database WHERE datname = current_database())) AS encoding,
  (pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool) AS "isReadOnly",
  ARRAY(SELECT name FROM unnest(ARRAY['fsync', 'full_page_writes', 'synchronous_commit']) AS name
        WHERE current_setting(name) = 'off') AS "notDurable",
  current_setting('jit')::bool AS "losesOptions",
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true), '0')::int AS "maxConnections",
  obj_description(to_regclass('_prisma_migrations'), 'pg_class') IS NOT NULL AS "keepsAnteriores",
  has_database_privilege('public', current_database(), 'CONNECT') AS "isOpenToAll",
  json_build_object('count', (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'acuse-worker%'),
    'isCoordinated', EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND ((classid::bigint << 32) | objid::bigint) = hashtext('acuse_rol_relay'))) AS workers,
  -- Who may not see the sessions of others sees their user, and not their kind.
  (SELECT count(*)::int FROM pg_stat_activity
   WHERE datid IS NOT NULL AND usesysid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend') AS connections`;

/** Who an address logs in as. */
export interface LoginFacts {
  readonly user: string;
  /** May do everything, on the whole server. */
  readonly isSuperuser: boolean;
  /** Owns the tables, or is a member of who does: may change and drop them, and give itself any right. */
  readonly isOwner: boolean;
  /** The processes whose rights it has. */
  readonly roles: readonly RolBase[];
}

const LOGIN = `
SELECT current_user AS user, rolsuper AS "isSuperuser",
  EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('public.solicitud') AND pg_has_role(c.relowner, 'MEMBER')) AS "isOwner",
  ARRAY(SELECT rol FROM unnest($1::text[], $2::text[]) AS each(rol, name) JOIN pg_roles r ON r.rolname = each.name
        WHERE pg_has_role(r.oid, 'MEMBER')) AS roles
FROM pg_roles WHERE rolname = current_user`;

/** Looks at who an address logs in as. Rejects with what the server or the way to it says. */
export const inspectLogin = (url: string, timeoutMs: number): Promise<LoginFacts> =>
  asking(url, timeoutMs, async (client) => {
    const { rows } = await client.query<LoginFacts>(LOGIN, [ROLES_BASE, ROLES_BASE.map(roleOf)]);
    const [facts] = rows;
    if (facts === undefined) throw new Error('the server gave no row');
    return facts;
  });

/**
 * Looks at a database without changing anything. @param options.now the clock that is compared, in milliseconds.
 * Rejects with what the server or the way to it says.
 */
export const inspectDatabase = (
  url: string,
  { timeoutMs, now }: { readonly timeoutMs: number; readonly now: () => number },
): Promise<DatabaseFacts> =>
  asking(url, timeoutMs, async (client) => {
    const asked = now();
    const { rows: clock } = await client.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    );
    const skewMs = (asked + now()) / 2 - Number(clock[0]?.ms);
    const { rows } = await client.query<Omit<DatabaseFacts, 'migrations' | 'skewMs'>>(FACTS);
    const [facts] = rows;
    if (facts === undefined) throw new Error('the server gave no row');
    return { ...facts, skewMs, migrations: await readMigrationState(client) };
  });

/** Asks over one connection, which is closed then. */
async function asking<T>(url: string, timeoutMs: number, ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'acuse-revisar',
    options: SESSION_OPTIONS,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  await client.connect();
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}
