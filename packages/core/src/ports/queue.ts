import type { QueueName } from './solicitudes.ts';

/** "Look at this row": all that the queue ever carries. */
export interface WakeUp {
  readonly solicitudId: string;
  readonly gen: number;
  readonly queue: QueueName;
  /** The queue has had it before, without a claim: it may still be there. */
  readonly isAgain?: boolean;
}

/**
 * How a number of places is shared out among accounts: an account may have so many times as many as would still be
 * free, so that one alone leaves a fifth of them to the others.
 */
export const PARTE_POR_CUENTA = 4;
