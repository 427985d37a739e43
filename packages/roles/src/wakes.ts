/** Wake-ups between the roles of one process: a role that another process runs finds the same work at its next turn. */
export interface Wakes {
  /** Calls `wake` whenever another role of this process has work for the topic. */
  on(topic: string, wake: () => void): void;
  wake(topic: string): void;
}

/** Topic of new rows in the outbox. */
export const OUTBOX = 'outbox';

export function createWakes(): Wakes {
  const waiting = new Map<string, (() => void)[]>();
  return {
    on: (topic, wake) => void waiting.set(topic, [...(waiting.get(topic) ?? []), wake]),
    wake(topic) {
      for (const wake of waiting.get(topic) ?? []) wake();
    },
  };
}
