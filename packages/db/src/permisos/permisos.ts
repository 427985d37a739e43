import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { transactionOn } from '../transaction.ts';

const PRISMA = new URL('../../../../prisma/', import.meta.url);
const PERMISOS = fileURLToPath(new URL('permisos.sql', PRISMA));
/** What the version before needs beside them. */
const ANTERIORES = fileURLToPath(new URL('permisos-anteriores.sql', PRISMA));

/** The processes whose rights in the database are limited, each by the role of its name. */
export const ROLES_BASE = ['api', 'panel', 'worker'] as const;
export type RolBase = (typeof ROLES_BASE)[number];

/** Role of PostgreSQL of a process. Its users are members; the role itself has no log-in. */
export const roleOf = (rol: RolBase): string => `acuse_${rol}`;

/** Reasons for a missing role: another migration makes it at this moment, or the user may make none. */
const HARMLESS = new Set(['42710', '23505', '42501']);

const MISSING =
  'SELECT r AS name FROM unnest($1::text[]) r WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r) ORDER BY r';

/**
 * Lets users that were made by hand go on connecting: those of our roles to whom no database was granted. The users of
 * another installation on the same server were granted theirs (usuarios-base.ts), and stay outside of this one.
 */
const LET_IN = `
SELECT r.rolname AS name FROM pg_roles r
WHERE r.rolcanlogin AND EXISTS (SELECT FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid AND g.rolname = ANY ($1::text[]))
  AND NOT EXISTS (SELECT FROM pg_database d CROSS JOIN aclexplode(d.datacl) a WHERE a.grantee = r.oid AND a.privilege_type = 'CONNECT')`;

const OWN_DATABASE = `
SELECT datname AS name FROM pg_database WHERE datname = current_database() AND pg_has_role(datdba, 'USAGE')`;

/** Closes the database to users who were not let in. Only its owner may; elsewhere `acuse operador revisar` warns. */
async function closeDatabase(client: pg.ClientBase, roles: readonly string[]): Promise<void> {
  const [own] = (await client.query<{ name: string }>(OWN_DATABASE)).rows;
  if (own === undefined) return;
  const database = pg.escapeIdentifier(own.name);
  const { rows } = await client.query<{ name: string }>(LET_IN, [roles]);
  for (const { name } of rows)
    await client.query(`GRANT CONNECT ON DATABASE ${database} TO ${pg.escapeIdentifier(name)}`);
  await client.query(`REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`);
}

/** Own functions with explicit rights. */
const FUNCTIONS = `
SELECT p.oid::regprocedure::text AS name FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND pg_has_role(p.proowner, 'USAGE') AND p.proacl IS NOT NULL`;

/**
 * Creates missing roles and grants exactly the rights of `prisma/permisos.sql`, in one transaction on the connection of
 * the migration. `anteriores` adds `prisma/permisos-anteriores.sql` for processes of the previous version during an
 * update. Returns the roles that it had no right to create; then it grants nothing.
 */
export async function applyPermisos(
  client: pg.ClientBase,
  { anteriores }: { readonly anteriores: boolean },
): Promise<readonly string[]> {
  const roles = ROLES_BASE.map(roleOf);
  const missing = async () => (await client.query<{ name: string }>(MISSING, [roles])).rows.map(({ name }) => name);
  for (const name of await missing()) {
    // Roles are of the whole server: other databases of it may be migrated at this moment.
    await client.query(`CREATE ROLE ${pg.escapeIdentifier(name)} NOLOGIN`).catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError && HARMLESS.has(error.code ?? ''))) throw error;
    });
  }
  const left = await missing();
  if (left.length > 0) return left;
  const grants = await Promise.all(
    (anteriores ? [PERMISOS, ANTERIORES] : [PERMISOS]).map((file) => readFile(file, 'utf8')),
  );
  const all = roles.map((name) => pg.escapeIdentifier(name)).join(', ');
  await transactionOn(client, async () => {
    await client.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${all}`);
    await client.query(`REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${all}`);
    const { rows } = await client.query<{ name: string }>(FUNCTIONS);
    for (const { name } of rows) await client.query(`REVOKE ALL ON FUNCTION ${name} FROM ${all}`);
    // Servers that were set up before PostgreSQL 15 let everybody make tables here.
    await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    await client.query(`GRANT USAGE ON SCHEMA public TO ${all}`);
    for (const text of grants) await client.query(text);
    await closeDatabase(client, roles);
  });
  return [];
}
