import { ResultadoIncierto } from '@acuse/core';
import pg from 'pg';

/**
 * SQLSTATE classes and subclasses after which the connection, or the server, is no more: connection exception, operator
 * intervention by a shutdown or a crash, system and internal errors (PostgreSQL, appendix A). They may reach a
 * statement whose commit is done.
 */
const CONNECTION_LOST = /^(08|57P|58|XX)/;

/** True when PostgreSQL itself refused the statement: all of it is rolled back. */
function isRolledBack(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !CONNECTION_LOST.test(error.code ?? '08');
}

class TooLate extends Error {}

/**
 * Runs a statement with an outcome that must be known. Rejects with {@link ResultadoIncierto} when it was sent and got
 * no reply; after any other error nothing was carried out. After `until`, on the clock of `performance.now`, it is not
 * sent.
 */
export async function sendOnce<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: pg.QueryConfig,
  until = Number.POSITIVE_INFINITY,
): Promise<pg.QueryResult<R>> {
  const client = await pool.connect();
  let hasFailed = true;
  try {
    if (performance.now() >= until) throw new TooLate();
    const result = await client.query<R>(statement);
    hasFailed = false;
    return result;
  } catch (error) {
    throw error instanceof TooLate || isRolledBack(error) ? error : new ResultadoIncierto({ cause: error });
  } finally {
    // As `pool.query` does: what a connection keeps prepared may be why it failed.
    client.release(hasFailed);
  }
}

/** SQLSTATE of a unique constraint (PostgreSQL, appendix A), and Prisma's code for it. */
const UNIQUE_VIOLATION: unknown[] = ['23505', 'P2002'];

/**
 * True when `error` is PostgreSQL's refusal of a second row under a unique index; with `constraint`, of that one, which
 * an error of Prisma does not name.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error) || !UNIQUE_VIOLATION.includes(error.code))
    return false;
  return constraint === undefined || ('constraint' in error && error.constraint === constraint);
}

/** SQLSTATE of a transaction that PostgreSQL ended because two waited for each other (PostgreSQL, appendix A). */
const DEADLOCK = '40P01';

/** True when PostgreSQL rolled the transaction back to end a deadlock: it may be run again as it is. */
export function isDeadlock(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === DEADLOCK;
}

/** True when PostgreSQL refused a write because it takes none: read_only_sql_transaction (appendix A), as on a demoted primary. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006';
}

/** True when PostgreSQL could not read a value as what it should be: class 22, data exception (appendix A). */
export function isDataException(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code?.startsWith('22') === true;
}

/** True when PostgreSQL gave a statement up because it took longer than the session allows: query_canceled (appendix A). */
export function isTimedOut(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014';
}
