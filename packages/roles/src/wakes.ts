/** Wake-ups between the roles of one process: a role that another process runs finds the same work at its next turn. */
export interface Wakes {
  /** Calls `wake` whenever another role of this process has work for the topic, until the result is called. */
  on(topic: string, wake: () => void): () => void;
  wake(topic: string): void;
}

/** Topic of new rows in the outbox. */
export const OUTBOX = 'outbox';

/** Topic of slots that became free in this process. */
export const SLOTS = 'slots';

/** Topic, in the process of the relay, of work that the relay announces to the workers under `topic`. */
export const relayed = (topic: string) => `relay-${topic}`;

export function createWakes(): Wakes {
  const waiting = new Map<string, Set<() => void>>();
  return {
    on(topic, wake) {
      const all = waiting.get(topic) ?? new Set();
      waiting.set(topic, all.add(wake));
      return () => void all.delete(wake);
    },
    wake(topic) {
      for (const wake of waiting.get(topic) ?? []) wake();
    },
  };
}
