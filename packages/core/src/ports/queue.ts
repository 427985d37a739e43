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
