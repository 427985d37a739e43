/** Statements on their way at the same time: while they wait for the disk, the next lot gathers. */
const IN_FLIGHT = 3;

/** Items in one statement. */
const MAX_LOTE = 64;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins calls that arrive while earlier ones are on their way into one statement, so that they share its round trip and its commit. Nobody
 * waits for company: with nothing on its way an item goes at once. No two items of a lot have the same `groupOf`. When a lot
 * fails, its items are run one by one, so that one cannot fail another.
 */
export function createLote<Item, Result>(options: {
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  groupOf: (item: Item) => string;
}): (item: Item) => Promise<Result> {
  const { run, groupOf } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;

  function take(): Waiting<Item, Result>[] {
    const lote: Waiting<Item, Result>[] = [];
    const rest: Waiting<Item, Result>[] = [];
    const groups = new Set<string>();
    for (const one of waiting) {
      const group = groupOf(one.item);
      if (lote.length < MAX_LOTE && !groups.has(group)) {
        groups.add(group);
        lote.push(one);
      } else rest.push(one);
    }
    waiting = rest;
    return lote;
  }

  async function runAll(lote: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(lote.map(({ item }) => item));
      lote.forEach((one, index) => {
        const result = results[index];
        if (result === undefined)
          one.reject(new Error('the statement answered fewer items than it was given'));
        else one.resolve(result);
      });
    } catch (error) {
      const [only] = lote;
      if (lote.length === 1 && only) only.reject(error);
      else await Promise.all(lote.map((one) => runAll([one])));
    }
  }

  function pump(): void {
    while (inFlight < IN_FLIGHT && waiting.length > 0) {
      inFlight += 1;
      void runAll(take()).finally(() => {
        inFlight -= 1;
        pump();
      });
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      pump();
    });
}
