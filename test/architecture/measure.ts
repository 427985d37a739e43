import { figures } from './figures.ts';

const shown = (value: number) => Math.abs(value).toLocaleString('en-US');

const lines = figures().map(
  ({ name, now, limit, goal }) =>
    `${name.padEnd(34)} ${shown(now).padStart(8)}   limit ${shown(limit).padStart(8)}   goal ${shown(goal).padStart(8)}`,
);
// One write: a reader that closes early, as `head`, ends no later one with EPIPE.
console.log(lines.join('\n'));
