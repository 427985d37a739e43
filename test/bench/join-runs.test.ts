import { expect, it } from 'vitest';
import { joinRuns } from './join-runs.ts';

it('prints the median and the range of each number that differs, and a line that one run lacks', () => {
  const runs = [
    ['accept: 1,200/s of 2 cores', '## a note', 'accept: 10.50/s of 2, 9 cores'],
    ['accept: 980/s of 2 cores', 'accept: 9.25/s of 3, 9 cores'],
    ['accept: 1,100/s of 2 cores', '## a note', 'accept: 11.00/s of 2, 9 cores'],
  ];
  expect(joinRuns(runs)).toEqual([
    'accept: 1,100 [980 to 1,200]/s of 2 cores',
    '## a note',
    'accept: 10.50 [9.25 to 11.00]/s of 2 [2 to 3], 9 cores',
  ]);
});
