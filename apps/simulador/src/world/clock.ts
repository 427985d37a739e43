/** The simulator's time: the machine's clock plus an offset that tests move. */
export type Clock = {
  now(): Date;
  /** The machine's time, which tests do not move: what the clients of a signed message live in. */
  machineNow(): Date;
  /** Moves the time by `ms` milliseconds, forwards or (negative) backwards. */
  advance(ms: number): void;
  /** Makes now() equal `date`, from where time flows on; null returns to the machine's time. */
  set(date: Date | null): void;
};

/** Creates a clock that starts at the machine's time. */
export function createClock(machineNow: () => number = Date.now): Clock {
  let offset = 0;
  return {
    now: () => new Date(machineNow() + offset),
    machineNow: () => new Date(machineNow()),
    advance: (ms) => {
      offset += ms;
    },
    set: (date) => {
      offset = date === null ? 0 : date.getTime() - machineNow();
    },
  };
}
