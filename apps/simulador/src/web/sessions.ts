import { randomBytes } from 'node:crypto';
import type { Clock } from '../world/clock.ts';

/** Sessions by their cookie value; each dies after some idle time of the simulator's clock. */
export type Sessions<T> = ReturnType<typeof createSessions<T>>;

/**
 * Creates an empty store; `idleMs` is asked at every use, in milliseconds. Those that died are forgotten when another
 * begins.
 */
export function createSessions<T>(deps: { clock: Clock; idleMs: () => number }) {
  const sessions = new Map<string, { data: T; usedAt: number }>();
  const isAlive = (usedAt: number) => deps.clock.now().getTime() - usedAt < deps.idleMs();
  return {
    /** Starts a session and returns its id (43 characters of base64url). */
    start: (data: T) => {
      // The map is in the order of last use.
      forgetOld(sessions, ({ usedAt }) => !isAlive(usedAt));
      const id = randomBytes(32).toString('base64url');
      sessions.set(id, { data, usedAt: deps.clock.now().getTime() });
      return id;
    },
    /** The session's data, which also counts as use of it; null when there is none or it idled too long. */
    use: (id: string) => {
      const session = sessions.get(id);
      sessions.delete(id);
      if (!session || !isAlive(session.usedAt)) return null;
      sessions.set(id, { data: session.data, usedAt: deps.clock.now().getTime() });
      return session.data;
    },
    end: (id: string) => {
      sessions.delete(id);
    },
    /** How many are alive. */
    count: () => [...sessions.values()].filter(({ usedAt }) => isAlive(usedAt)).length,
  };
}

/**
 * Takes entries out of a map from its beginning on, up to the first that is not old: for maps whose oldest entries come
 * first.
 */
export function forgetOld<K, V>(map: Map<K, V>, isOld: (value: V) => boolean): void {
  for (const [key, value] of map) {
    if (!isOld(value)) return;
    map.delete(key);
  }
}
