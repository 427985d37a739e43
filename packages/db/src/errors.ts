import { ResultadoIncierto } from '@acuse/core';
import pg from 'pg';

/**
 * SQLSTATE classes and subclasses after which the connection, or the server, is no more: connection exception, operator intervention by a shutdown or a
 * crash, system and internal errors (PostgreSQL, appendix A). They may reach a statement whose commit is done.
 */
const CONNECTION_LOST = /^(08|57P|58|XX)/;

/** True when PostgreSQL itself refused the statement: all of it is rolled back. */
function isRolledBack(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !CONNECTION_LOST.test(error.code ?? '08');
}

/**
 * Runs a statement of which it matters whether it was carried out. Rejects with {@link ResultadoIncierto} when it was sent and neither an answer nor a
 * refusal came back; with any other error nothing of it was carried out.
 */
export async function sendOnce<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: pg.QueryConfig,
): Promise<pg.QueryResult<R>> {
  const client = await pool.connect();
  let isLost = false;
  try {
    return await client.query<R>(statement);
  } catch (error) {
    isLost = !isRolledBack(error);
    throw isLost ? new ResultadoIncierto({ cause: error }) : error;
  } finally {
    client.release(isLost);
  }
}

/** SQLSTATE of a unique constraint (PostgreSQL, appendix A). */
const UNIQUE_VIOLATION = '23505';

/** True when `error` is PostgreSQL's refusal of a second row under a unique index; with `constraint`, of that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== UNIQUE_VIOLATION)
    return false;
  return constraint === undefined || ('constraint' in error && error.constraint === constraint);
}

/** SQLSTATE of a transaction that PostgreSQL ended because two waited for each other (PostgreSQL, appendix A). */
const DEADLOCK = '40P01';

/** True when PostgreSQL rolled the transaction back to end a deadlock: it may be run again as it is. */
export function isDeadlock(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === DEADLOCK;
}
