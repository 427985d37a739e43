import { figures } from './figures.ts';

const shown = (value: number) => Math.abs(value).toLocaleString('en-US');

for (const { name, now, limit, goal } of figures())
  console.log(
    `${name.padEnd(34)} ${shown(now).padStart(8)}   limit ${shown(limit).padStart(8)}   goal ${shown(goal).padStart(8)}`,
  );
