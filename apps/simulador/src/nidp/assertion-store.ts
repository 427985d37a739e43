import { createHash } from 'node:crypto';
import type { Clock } from '../world/clock.ts';
import type { Metodo } from './idp-session.ts';

/** What a log-in host vouches for. */
export type Claims = { rfc: string; metodo: Metodo; servicio: string };

/** The assertions that are on their way from a log-in host to a service. */
export type AssertionStore = {
  /** Remembers an assertion by its text, which must be unique, and gives the text back. */
  put(asercion: string, claims: Claims): string;
  /**
   * Reads and spends an assertion; null for a foreign, altered, expired or used one, and for that of another service.
   */
  take(asercion: string, servicio: string): Claims | null;
};

const LIFE_MS = 15 * 60_000;
const KEPT = 10_000;

/** Creates an empty store. An assertion lives for 15 minutes of the simulator's clock and is good once. */
export function createAssertionStore(clock: Clock): AssertionStore {
  const issued = new Map<string, Claims & { expiresAt: number }>();
  return {
    put: (asercion, claims) => {
      issued.set(digest(asercion), { ...claims, expiresAt: clock.now().getTime() + LIFE_MS });
      const oldest = issued.keys().next().value;
      if (issued.size > KEPT && oldest !== undefined) issued.delete(oldest);
      return asercion;
    },
    take: (asercion, servicio) => {
      const key = digest(asercion);
      const found = issued.get(key);
      if (!found || found.servicio !== servicio) return null;
      issued.delete(key);
      const { expiresAt, ...claims } = found;
      return expiresAt > clock.now().getTime() ? claims : null;
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
