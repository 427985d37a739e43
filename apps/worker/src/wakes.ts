/** What a role of this process may wait for between two turns. */
export type WakeTopic = 'outbox' | 'lists';

/** Wake-ups between the roles of one process: a role that another process runs finds the same work at its next turn. */
export interface Wakes {
  /** Calls `wake` whenever another role of this process has work for the topic. */
  on(topic: WakeTopic, wake: () => void): void;
  wake(topic: WakeTopic): void;
}

export function createWakes(): Wakes {
  const waiting = new Map<WakeTopic, () => void>();
  return { on: (topic, wake) => void waiting.set(topic, wake), wake: (topic) => waiting.get(topic)?.() };
}
