import { describe, expect, it, test } from 'vitest';
import { createClock } from '../world/clock.ts';
import { createSessions, forgetOld } from './sessions.ts';

const MINUTE = 60_000;

function create() {
  const clock = createClock();
  return { clock, sessions: createSessions<string>({ clock, idleMs: () => 20 * MINUTE }) };
}

describe('sessions', () => {
  it('live as long as they are used', () => {
    const { clock, sessions } = create();
    const id = sessions.start('uno');
    for (let n = 0; n < 3; n++) {
      clock.advance(19 * MINUTE);
      expect(sessions.use(id)).toBe('uno');
    }
    clock.advance(20 * MINUTE);
    expect([sessions.count(), sessions.use(id)]).toEqual([0, null]);
  });

  it('that died are forgotten when another begins, and those still used are not', () => {
    const { clock, sessions } = create();
    const [dead, used] = [sessions.start('uno'), sessions.start('dos')];
    clock.advance(15 * MINUTE);
    sessions.use(used);
    clock.advance(6 * MINUTE);
    sessions.start('tres');
    clock.set(null);
    expect([sessions.use(dead), sessions.use(used)]).toEqual([null, 'dos']);
  });
});

test('goes up to the first entry that is not old', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 9],
    ['d', 1],
  ]);
  forgetOld(map, (value) => value < 5);
  expect([...map.keys()]).toEqual(['c', 'd']);
});
