import { describe, expect, it } from 'vitest';
import { createPace, type Pace } from './pace.ts';

/** Judges after claims of `ms` milliseconds, with `running` steps at work. */
function judge(pace: Pace, ms: number, running = pace.slots): number {
  for (let n = 0; n < 4; n += 1) pace.claimed(ms, running);
  return pace.judge();
}

describe('slots of a process', () => {
  it('grow to the most while claims are prompt and every slot is taken', () => {
    const pace = createPace(200);
    expect(pace.slots).toBe(16);
    const grown = Array.from({ length: 8 }, () => judge(pace, 4));
    expect(grown).toEqual([24, 36, 54, 81, 122, 183, 200, 200]);
  });

  it('stay as they are while some are free, while claims are neither prompt nor slow, and without claims', () => {
    const pace = createPace(200);
    expect([judge(pace, 4, 10), judge(pace, 40), pace.judge()]).toEqual([16, 16, 16]);
  });

  it('shrink while claims are slow, and leave a few', () => {
    const pace = createPace(200);
    judge(pace, 4, 1);
    expect([judge(pace, 60), judge(pace, 60)]).toEqual([11, 7]);
    expect(Array.from({ length: 9 }, () => judge(pace, 500)).at(-1)).toBe(4);
  });

  it('are never more than the settings allow', () => {
    const pace = createPace(2);
    expect([pace.slots, judge(pace, 4), judge(pace, 900), judge(pace, 900)]).toEqual([2, 2, 2, 2]);
  });

  it('follow a database that is far away by its own fastest claim', () => {
    const pace = createPace(200);
    expect([judge(pace, 60), judge(pace, 100), judge(pace, 500)]).toEqual([24, 36, 25]);
  });
});
