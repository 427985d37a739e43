import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { transactionOn } from '../transaction.ts';

const PERMISOS = fileURLToPath(new URL('../../../../prisma/permisos.sql', import.meta.url));

/** The processes whose rights in the database are limited, each by the role of its name. */
export const ROLES_BASE = ['api', 'panel', 'worker'] as const;
export type RolBase = (typeof ROLES_BASE)[number];

/** The role of PostgreSQL that a process's users are members of. Nobody logs in as it. */
export const roleOf = (rol: RolBase): string => `acuse_${rol}`;

/** What a role is not there for: made by another migration at this moment, or by nobody who may. */
const HARMLESS = new Set(['42710', '23505', '42501']);

const MISSING =
  'SELECT r AS name FROM unnest($1::text[]) r WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r) ORDER BY r';

/** Ours that anybody was given or refused a right to. */
const FUNCTIONS = `
SELECT p.oid::regprocedure::text AS name FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND pg_has_role(p.proowner, 'USAGE') AND p.proacl IS NOT NULL`;

/**
 * Makes the roles that are missing and gives them the rights of `prisma/permisos.sql` and no others, in one transaction
 * on the connection of whoever migrates. Returns the roles that are missing and could not be made, for want of the right
 * to do so: then nothing is given to anybody.
 */
export async function applyPermisos(client: pg.ClientBase): Promise<readonly string[]> {
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
  const grants = await readFile(PERMISOS, 'utf8');
  const all = roles.map((name) => pg.escapeIdentifier(name)).join(', ');
  await transactionOn(client, async () => {
    await client.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${all}`);
    await client.query(`REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${all}`);
    const { rows } = await client.query<{ name: string }>(FUNCTIONS);
    for (const { name } of rows) await client.query(`REVOKE ALL ON FUNCTION ${name} FROM ${all}`);
    // Servers that were set up before PostgreSQL 15 let everybody make tables here.
    await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    await client.query(`GRANT USAGE ON SCHEMA public TO ${all}`);
    await client.query(grants);
  });
  return [];
}
