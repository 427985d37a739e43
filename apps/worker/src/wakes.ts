/** Kinds of work that a role may wait for between two turns. */
export type WakeTopic = 'outbox' | 'lists';

/** Wake-ups between the roles of one process: a role that another process runs finds the same work at its next turn. */
export interface Wakes {
  /** Calls `wake` whenever another role of this process has work for the topic. */
  on(topic: WakeTopic, wake: () => void): void;
  wake(topic: WakeTopic): void;
}

export function createWakes(): Wakes {
  const waiting: Record<WakeTopic, (() => void)[]> = { outbox: [], lists: [] };
  return {
    on: (topic, wake) => void waiting[topic].push(wake),
    wake(topic) {
      for (const wake of waiting[topic]) wake();
    },
  };
}
