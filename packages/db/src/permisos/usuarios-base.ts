import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../database.ts';
import { type Connection, execute, rowOf, rowsOf } from '../statements.ts';
import { inTransaction } from '../transaction.ts';
import { ROLES_BASE, type RolBase, roleOf } from './permisos.ts';

/** A user of PostgreSQL that a process logs in as. */
export interface UsuarioBase {
  readonly nombre: string;
  readonly rol: RolBase;
}

/** Printable ASCII, which SASLprep (RFC 4013) leaves unchanged before PostgreSQL hashes a password. */
export const isPasswordBase = (password: string): boolean => /^[\x21-\x7e]{16,200}$/.test(password);

const ITERATIONS = 4_096;

/**
 * What PostgreSQL keeps of a password (SCRAM-SHA-256, RFC 5803): sent in its place, the password is in no statement and no
 * log of the server. Throws on one that {@link isPasswordBase} refuses.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  if (!isPasswordBase(password)) throw new Error('a password has 16 to 200 printable characters of ASCII');
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}

/** Users that log in and are members of one of our roles. */
const LIST = `
SELECT u.rolname AS nombre, substr(r.rolname, 7) AS rol FROM pg_auth_members m
JOIN pg_roles u ON u.oid = m.member JOIN pg_roles r ON r.oid = m.roleid
WHERE u.rolcanlogin AND r.rolname = ANY ($1::text[]) ORDER BY r.rolname, u.rolname`;

const name = (identifier: string) => pg.escapeIdentifier(identifier);

/** What PostgreSQL keeps as the comment of the user that owns a queue's database: by it we know our own again. */
const OF_QUEUE = 'Acuse: cola';
const COMMENT = `SELECT shobj_description(oid, 'pg_authid') AS comment FROM pg_roles WHERE rolname = $1`;
const OWNER = 'SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1';
const LIMITED = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION INHERIT';

/** A queue on PostgreSQL: a database of its own, and who owns it and may do nothing elsewhere. */
export interface ColaBase {
  readonly base: string;
  readonly nombre: string;
  readonly password: string;
}

/** Users of the processes, for the operator. The connected user may make roles. */
export function createUsuariosBase({ pool }: Pick<Database, 'pool'>) {
  const list = (connection: Connection = pool): Promise<UsuarioBase[]> =>
    rowsOf<UsuarioBase>(connection, LIST, [ROLES_BASE.map(roleOf)]);

  return {
    list: () => list(),

    /**
     * Creates the login of a process, or changes the password of a present one; it may connect to this database. False
     * when the name belongs to another kind of user.
     */
    async set({ nombre, rol, password }: UsuarioBase & { readonly password: string }): Promise<boolean> {
      const verifier = pg.escapeLiteral(scramVerifier(password));
      return inTransaction(pool, async (client) => {
        const isThere = (await rowOf(client, 'SELECT FROM pg_roles WHERE rolname = $1', [nombre])) !== null;
        const own = (await list(client)).filter((each) => each.nombre === nombre);
        if (isThere && (own.length !== 1 || own[0]?.rol !== rol)) return false;
        if (isThere) await client.query(`ALTER ROLE ${name(nombre)} PASSWORD ${verifier}`);
        else
          await client.query(
            `CREATE ROLE ${name(nombre)} ${LIMITED} PASSWORD ${verifier} IN ROLE ${name(roleOf(rol))}`,
          );
        const base = await rowOf<{ name: string }>(client, 'SELECT current_database() AS name');
        await client.query(`GRANT CONNECT ON DATABASE ${name(base?.name ?? '')} TO ${name(nombre)}`);
        return true;
      });
    },

    /**
     * Creates the database of a queue with its owner, or changes the owner's password. False when either name belongs
     * to something else. May be repeated after an interruption.
     */
    async setCola({ base, nombre, password }: ColaBase): Promise<boolean> {
      const verifier = pg.escapeLiteral(scramVerifier(password));
      const isOurs = await inTransaction(pool, async (client) => {
        const user = await rowOf<{ comment: string | null }>(client, COMMENT, [nombre]);
        const found = await rowOf<{ owner: string }>(client, OWNER, [base]);
        if ((user !== null && user.comment !== OF_QUEUE) || (found !== null && found.owner !== nombre)) return false;
        if (user !== null) await client.query(`ALTER ROLE ${name(nombre)} PASSWORD ${verifier}`);
        else {
          await client.query(`CREATE ROLE ${name(nombre)} ${LIMITED} PASSWORD ${verifier}`);
          await client.query(`COMMENT ON ROLE ${name(nombre)} IS ${pg.escapeLiteral(OF_QUEUE)}`);
          // Only who is a member of the owner, or everything, may make a database of his.
          await client.query(`GRANT ${name(nombre)} TO CURRENT_USER`);
        }
        return true;
      });
      if (!isOurs) return false;
      // In no transaction: PostgreSQL makes a database outside of any.
      if ((await rowOf(pool, OWNER, [base])) === null)
        await pool.query(`CREATE DATABASE ${name(base)} OWNER ${name(nombre)}`);
      await pool.query(`REVOKE ALL ON DATABASE ${name(base)} FROM PUBLIC`);
      return true;
    },

    /** Removes a user, and ends its connections. False when it is none of a process. */
    async remove(nombre: string): Promise<boolean> {
      const found = await rowOf<{ id: string }>(pool, 'SELECT oid::text AS id FROM pg_roles WHERE rolname = $1', [
        nombre,
      ]);
      const isRemoved = await inTransaction(pool, async (client) => {
        if (!(await list(client)).some((each) => each.nombre === nombre)) return false;
        const base = await rowOf<{ name: string }>(client, 'SELECT current_database() AS name');
        await client.query(`REVOKE CONNECT ON DATABASE ${name(base?.name ?? '')} FROM ${name(nombre)}`);
        await client.query(`DROP ROLE ${name(nombre)}`);
        return true;
      });
      // After the drop no login can use the role.
      if (isRemoved)
        await execute(pool, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usesysid = $1::oid', [
          found?.id,
        ]);
      return isRemoved;
    },
  };
}

export type UsuariosBase = ReturnType<typeof createUsuariosBase>;
