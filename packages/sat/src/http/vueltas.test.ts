import { SatError } from '@acuse/core';
import { expect, it } from 'vitest';
import { createRounds } from './sat-http.ts';

it('rejects no caller of a host with room, and calls the others back one after the other as room comes back', () => {
  let now = 1_000;
  const { assertRoom } = createRounds(4, () => now);
  const wait = (underWay: number, host = 'uno') => {
    try {
      assertRoom(host, underWay);
      return null;
    } catch (error) {
      if (error instanceof SatError && error.motivo === 'OCUPADO') return error.esperaMs;
      throw error;
    }
  };
  expect([wait(0), wait(3)]).toEqual([null, null]);
  expect([wait(4), wait(4), wait(9)]).toEqual([250, 500, 750]);
  expect(wait(4, 'otro')).toBe(250);
  now += 750;
  expect([wait(4), wait(3)]).toEqual([250, null]);
});
