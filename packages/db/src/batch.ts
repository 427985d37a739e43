import { ResultadoIncierto } from '@acuse/core';

/** Statements on their way at the same time, all of them slow but for one. */
const IN_FLIGHT = 3;

/** Milliseconds after which a statement is slow, one that waits for a lock: the next lot goes beside it. */
const SLOW_MS = 50;

/** Items in one statement. */
const MAX_BATCH = 64;

interface Waiting<Item, Result> {
  readonly item: Item;
  /** When the caller stops waiting for it to be sent, on the clock of `performance.now`. */
  readonly until: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins calls of one turn of the event loop, or calls during an earlier lot, into one statement: they share a round
 * trip and a commit. An item never waits for company: without a lot under way it goes in its own turn. It does not wait
 * for a lot of more than `slowMs` milliseconds either, unless three such lots are under way. No two items of a lot have
 * the same `groupOf`. The items of a failed lot run one by one, so that one cannot fail another; not after an unknown
 * outcome ({@link ResultadoIncierto}).
 *
 * An item that was not sent within `patienceMs` is withdrawn: it rejects and never runs later. `run` gets the time
 * until which it may begin its statement, on the clock of `performance.now`.
 */
export function createBatch<Item, Result>(options: {
  run: (items: readonly Item[], until: number) => Promise<readonly Result[]>;
  groupOf: (item: Item) => string;
  patienceMs: number;
  slowMs?: number;
}): (item: Item) => Promise<Result> {
  const { run, groupOf, patienceMs, slowMs = SLOW_MS } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  /** The lot that is on its way and not slow yet. */
  let current: object | null = null;
  let isPumping = false;

  const tooLate = (cause?: unknown) => new Error(`not sent within ${patienceMs} ms`, { cause });

  function take(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const rest: Waiting<Item, Result>[] = [];
    const groups = new Set<string>();
    for (const one of waiting) {
      const group = groupOf(one.item);
      if (batch.length < MAX_BATCH && !groups.has(group)) {
        groups.add(group);
        batch.push(one);
        clearTimeout(one.timer);
      } else rest.push(one);
    }
    waiting = rest;
    return batch;
  }

  async function runAll(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const until = Math.min(...batch.map((one) => one.until));
      const results = await run(
        batch.map(({ item }) => item),
        until,
      );
      batch.forEach((one, index) => {
        const result = results[index];
        if (result === undefined) one.reject(new Error('the statement answered fewer items than it was given'));
        else one.resolve(result);
      });
    } catch (error) {
      const mayRunAgain = batch.length > 1 && !(error instanceof ResultadoIncierto);
      await Promise.all(
        batch.map(async (one) => {
          if (!mayRunAgain) one.reject(error);
          else if (performance.now() >= one.until) one.reject(tooLate(error));
          else await runAll([one]);
        }),
      );
    }
  }

  function pump(): void {
    isPumping = false;
    if (current !== null || inFlight === IN_FLIGHT || waiting.length === 0) return;
    const lot = take();
    current = lot;
    inFlight += 1;
    const makeRoom = () => {
      if (current === lot) current = null;
      pump();
    };
    const slow = setTimeout(makeRoom, slowMs);
    void runAll(lot).finally(() => {
      clearTimeout(slow);
      inFlight -= 1;
      makeRoom();
    });
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting = waiting.filter((one) => one.timer !== timer);
        reject(tooLate());
      }, patienceMs);
      waiting.push({ item, until: performance.now() + patienceMs, timer, resolve, reject });
      if (!isPumping) setImmediate(pump);
      isPumping = true;
    });
}
