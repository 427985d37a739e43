/** The simulator's time: the machine's clock plus an offset that tests move. */
export type Clock = ReturnType<typeof createClock>;

/** Creates a clock that starts at the machine's time. */
export function createClock() {
  let offset = 0;
  let machineOffset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    /** The machine's time: what the clients of a signed message live in. */
    machineNow: () => new Date(Date.now() + machineOffset),
    /** Moves the machine's time as well, for a client whose own clock is moved with it. */
    advanceMachine: (ms: number) => {
      offset += ms;
      machineOffset += ms;
    },
    /** Moves the time by `ms` milliseconds, forwards or (negative) backwards. */
    advance: (ms: number) => {
      offset += ms;
    },
    /** Makes now() equal `date`, from where time flows on; null returns to the machine's time. */
    set: (date: Date | null) => {
      offset = date === null ? 0 : date.getTime() - Date.now();
      machineOffset = 0;
    },
  };
}
