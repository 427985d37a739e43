/** SQLSTATE of a unique constraint (PostgreSQL, appendix A). */
const UNIQUE_VIOLATION = '23505';

/** True when `error` is PostgreSQL's refusal of a second row under a unique index; with `constraint`, of that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== UNIQUE_VIOLATION)
    return false;
  return constraint === undefined || ('constraint' in error && error.constraint === constraint);
}
