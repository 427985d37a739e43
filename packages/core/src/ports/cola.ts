import type { NombreCola } from './solicitudes.ts';

/** "Look at this row": all that the queue ever carries. */
export interface Timbre {
  readonly solicitudId: string;
  readonly gen: number;
  readonly cola: NombreCola;
  readonly dueAt: Date;
}

/** The queue as a doorbell. It may lose, repeat or delay rings: the rows decide. */
export interface Cola {
  /** Resolves when the queue has all of them; rejects within `signal`'s life otherwise, and is usable again afterwards. */
  ring(timbres: readonly Timbre[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Rings on their way from the outbox to the queue. */
export interface Bandeja {
  /**
   * Takes up to `limit` rings, hands them to `deliver` and deletes them when it resolves; when it rejects they stay. Rings held by another
   * relay are skipped. Returns how many were delivered.
   */
  drain(limit: number, deliver: (timbres: readonly Timbre[]) => Promise<void>): Promise<number>;
  /** Calls `wake` when somebody says that there are new rings. Best effort: poll as well. */
  listen(wake: () => void): Promise<{ close(): Promise<void> }>;
}
