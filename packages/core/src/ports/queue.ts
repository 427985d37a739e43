import type { QueueName } from './solicitudes.ts';

/** "Look at this row": all that the queue ever carries. */
export interface WakeUp {
  readonly solicitudId: string;
  readonly gen: number;
  readonly queue: QueueName;
}

/** The queue as a doorbell. It may lose, repeat or delay rings: the rows decide. */
export interface WorkQueue {
  /**
   * Resolves when the queue has all of them; rejects within `signal`'s life otherwise, and is usable again afterwards.
   */
  ring(wakeUps: readonly WakeUp[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The rings of all solicitudes that are worked on, most of which are not due yet. */
export interface Outbox {
  /**
   * Hands to `deliver` the due rings that the workers have slots for, shared out among the accounts, and once more
   * those that the queue has had for `graceSeconds` without anybody's claim. When it rejects they are as before.
   * Returns how many were delivered.
   */
  drain(input: { graceSeconds: number }, deliver: (wakeUps: readonly WakeUp[]) => Promise<void>): Promise<number>;
  /** Calls `wake` when somebody says that there are new rings. Best effort: poll as well. */
  listen(wake: () => void): Promise<{ close(): Promise<void> }>;
}

/**
 * How a number of places is shared out among accounts: an account may have so many times as many as would still be
 * free, so that one alone leaves a fifth of them to the others.
 */
export const PARTE_POR_CUENTA = 4;

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

/** The loops that keep every solicitud moving whatever happens to the queue. */
export interface Sweeper {
  /**
   * Lets go of claims that lapsed, so that their solicitudes ring again, and gives a ring to those that are overdue by
   * `graceSeconds` and have none. Returns how many.
   */
  ringOverdue(input: { graceSeconds: number; limit: number }): Promise<number>;
  /** Ends what is past its deadline: VENCIDA with refund. Returns the ids. */
  expire(limit: number): Promise<readonly string[]>;
  /** Marks packages past their retention: from now on `paquete` answers that they are gone. Returns how many. */
  retire(input: { retentionDays: number; limit: number }): Promise<number>;
  /**
   * Ended solicitudes whose objects nobody may want any more: without a package, or with one retired, for
   * `graceSeconds` (longer than a signed URL lives).
   */
  purgeable(input: { graceSeconds: number; limit: number }): Promise<readonly string[]>;
  /** Notes that the objects of a solicitud are deleted. */
  purged(solicitudId: string): Promise<void>;
}
