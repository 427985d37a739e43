/**
 * Deletes from the database what is past its time, so that its tables do not grow for ever. The ledger is never
 * touched.
 */
export interface Retention {
  /**
   * One batch of at most `limit` rows of each kind: what has expired by itself (answers kept for Idempotency-Keys,
   * running queries, heartbeats), traces of solicitudes that ended `traceDays` ago and whose objects are gone, and
   * lines of the audit log older than `auditDays`. True when there may be more. Any number of processes may do it at
   * once.
   */
  prune(input: { traceDays: number; auditDays: number; limit: number }): Promise<boolean>;
}
