import type { HpkeSender } from './hpke-sender.ts';

/** How long one context is used, whichever comes first. */
export interface SenderLife {
  readonly messages: number;
  /** Milliseconds from its first message. */
  readonly ms: number;
}

/**
 * Gives the context for the next message: one is shared by everything sealed within `life`, since a fresh one costs
 * more than all the rest of an acceptance. A timer wipes the key even when nothing else is sealed; it does not keep the
 * process alive.
 */
export function createShortLived(makeSender: (limit: number) => HpkeSender, life: SenderLife): () => HpkeSender {
  let current: HpkeSender | null = null;

  return () => {
    if (current !== null && !current.isSpent) return current;
    const sender = makeSender(life.messages);
    setTimeout(() => sender.wipe(), life.ms).unref();
    current = sender;
    return sender;
  };
}
