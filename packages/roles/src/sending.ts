import type { Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Seconds beyond its time limit for which something is held: its outcome has to be written too. */
export const LEASE_SLACK_SECONDS = 10;
/** Share of the slots that have to be free before more is asked for: one query brings many. */
const PARTE_LIBRE = 0.25;

interface Sending<Tomada> {
  /** Of the loop, for the log. */
  readonly name: string;
  /** Under way at the same time. */
  readonly concurrency: number;
  readonly everyMs: number;
  readonly log: Logger;
  /** Takes up to so many that are due, beside those under way. */
  readonly take: (limite: number, underWay: readonly Tomada[]) => Promise<readonly Tomada[]>;
  /** Sends one and notes what came of it. */
  readonly send: (tomada: Tomada, signal: AbortSignal) => Promise<void>;
  /** Told of one whose outcome could not be noted: its lease brings it back. */
  readonly onFailed: (tomada: Tomada, err: unknown) => void;
  readonly listen: (wake: () => void) => Promise<{ close(): Promise<void> }>;
}

/**
 * Sends what is due, each piece for itself, so that one that is slow or dead holds its own slot and nobody else's. Woken
 * by the database's word, by a slot that becomes free, and by a timer.
 */
export async function startSending<Tomada extends { readonly id: string }>(sending: Sending<Tomada>) {
  const { name, concurrency, everyMs, log } = sending;
  const leaving = new AbortController();
  const underWay = new Map<string, { readonly tomada: Tomada; readonly done: Promise<void> }>();

  function begin(tomada: Tomada): void {
    const done = sending
      .send(tomada, leaving.signal)
      .catch((err: unknown) => {
        if (!leaving.signal.aborted) sending.onFailed(tomada, err);
      })
      .finally(() => {
        underWay.delete(tomada.id);
        if (concurrency - underWay.size >= concurrency * PARTE_LIBRE) loop.wake();
      });
    underWay.set(tomada.id, { tomada, done });
  }

  const loop = startLoop({
    name,
    everyMs,
    log,
    turn: async () => {
      const limite = concurrency - underWay.size;
      if (limite < Math.min(concurrency, Math.max(1, concurrency * PARTE_LIBRE))) return false;
      const tomadas = await sending.take(
        limite,
        [...underWay.values()].map(({ tomada }) => tomada),
      );
      for (const tomada of tomadas) begin(tomada);
      return tomadas.length === limite;
    },
  });
  const listening = await sending.listen(() => loop.wake());

  return {
    /**
     * Lets what is under way end, and gives up after `withinMs` what has not: it is due again when its lease is over.
     */
    async close(withinMs: number) {
      await listening.close();
      await loop.close();
      const giveUp = setTimeout(() => leaving.abort(), withinMs);
      await Promise.all([...underWay.values()].map(({ done }) => done));
      clearTimeout(giveUp);
    },
  };
}
