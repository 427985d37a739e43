/** Steps at once until the first measurement: a process that starts among thousands of due solicitudes begins low. */
const FIRST = 16;
/** Steps at once that a process has however slow it is. */
const LEAST = 4;
/** Claims that one judgement needs. */
const ENOUGH = 4;
/** Milliseconds of a claim up to which the machine keeps up: a step makes about ten such calls, within 250 ms. */
const PROMPT_MS = 25;
/** A database that is far away, or slow to write, makes every claim slow: this many times its fastest is still prompt. */
const TIMES_FASTEST = 3;
/** Growth of the fastest claim for each judgement, so that the figure of a quiet hour is forgotten. */
const FORGET = 1.02;

export interface Pace {
  /** Steps that may be at work at the same time. */
  readonly slots: number;
  /** Notes a claim of `ms` milliseconds, beside `running` steps. */
  claimed(ms: number, running: number): void;
  /** Judges the claims since the last judgement, and returns the slots from now on. */
  judge(): number;
}

/**
 * Slots of a process, at most `most`, as many as its machine serves promptly. The time of a claim tells that: it grows
 * with the delay of the event loop, the wait for a connection and the load of the database, and not with the SAT's.
 */
export function createPace(most: number): Pace {
  let slots = Math.min(most, FIRST);
  let times: number[] = [];
  let peak = 0;
  let fastest = Number.POSITIVE_INFINITY;
  return {
    get slots() {
      return slots;
    },
    claimed(ms, running) {
      times.push(ms);
      peak = Math.max(peak, running);
    },
    judge() {
      if (times.length < ENOUGH) return slots;
      fastest = Math.min(fastest * FORGET, ...times);
      const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
      const prompt = Math.max(PROMPT_MS, TIMES_FASTEST * fastest);
      if (mean > 2 * prompt) slots = Math.max(Math.min(most, LEAST), Math.floor(slots * 0.7));
      else if (mean < prompt && peak >= slots * 0.9) slots = Math.min(most, Math.ceil(slots * 1.5));
      times = [];
      peak = 0;
      return slots;
    },
  };
}
