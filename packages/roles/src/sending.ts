import type { Logger } from '@acuse/runtime';
import { restMs, startLoop } from './loop.ts';

/** Seconds of a lease beyond the time limit of an attempt, to write the outcome. */
export const LEASE_SLACK_SECONDS = 10;
/** Share of free slots before the next claim: one query claims many. */
const PARTE_LIBRE = 0.25;

interface Sending<Tomada> {
  /** Name of the loop in the log. */
  readonly name: string;
  /** Slots. */
  readonly concurrency: number;
  readonly everyMs: number;
  readonly log: Logger;
  /** Seconds in which no piece becomes due without a notification, asked before a claim; absent: each turn claims. */
  readonly restSeconds?: () => Promise<number>;
  /** Claims up to `limite` due pieces beside those under way. */
  readonly take: (limite: number, underWay: readonly Tomada[]) => Promise<readonly Tomada[]>;
  /** Sends a piece and notes its outcome. */
  readonly send: (tomada: Tomada, signal: AbortSignal) => Promise<void>;
  /** Receives a piece without a noted outcome: it is due again when its lease expires. */
  readonly onFailed: (tomada: Tomada, err: unknown) => void;
  readonly listen: (wake: () => void) => Promise<{ close(): Promise<void> }>;
}

/**
 * Sends due pieces, each in its own slot: a slow or dead receiver holds no other slot. A notification of the database, a
 * free slot and a timer start the next claim.
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
      const rest = (await sending.restSeconds?.()) ?? 0;
      if (rest > 0) return restMs(everyMs, rest);
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
    /** Waits up to `withinMs` for pieces under way, then aborts them: they are due again when their lease expires. */
    async close(withinMs: number) {
      await listening.close();
      await loop.close();
      const giveUp = setTimeout(() => leaving.abort(), withinMs);
      await Promise.all([...underWay.values()].map(({ done }) => done));
      clearTimeout(giveUp);
    },
  };
}
