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
