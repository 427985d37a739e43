import { inject } from 'vitest';

/**
 * How large each row of the matrix is: by `npm run test:faults`, and with `-- --deep`. Where everything fails in one
 * run, how often each fault strikes in it; a fifth of that where the queue is on PostgreSQL.
 */
const SIZES = {
  'requests among faults': { pr: 2_000, deep: 100_000 },
  'kill a worker': { pr: 60, deep: 1_000 },
  'freeze a worker': { pr: 10, deep: 200 },
  'SIGTERM to a worker': { pr: 10, deep: 50 },
  'kill the loops': { pr: 20, deep: 200 },
  'kill an API': { pr: 20, deep: 500 },
  'kill the panel': { pr: 10, deep: 100 },
  'restart PostgreSQL': { pr: 3, deep: 50 },
  'kill PostgreSQL': { pr: 3, deep: 50 },
  'kill Redis': { pr: 16, deep: 160 },
  'kill and empty Redis': { pr: 4, deep: 40 },
  'flush Redis': { pr: 4, deep: 40 },
  'cut off storage': { pr: 10, deep: 100 },
  'rounds of moments': { pr: 1, deep: 80 },
  'guesses of a password': { pr: 1_000, deep: 10_000 },
  'requests without Redis': { pr: 5_000, deep: 50_000 },
  'seconds with Redis frozen': { pr: 60, deep: 600 },
  'slow sockets': { pr: 500, deep: 5_000 },
  'runs of the model': { pr: 2_000, deep: 50_000 },
  'webhooks to a receiver that fails': { pr: 10_000, deep: 100_000 },
  'simulated solicitudes': { pr: 100_000, deep: 1_000_000 },
  'subscriptions over a year': { pr: 12, deep: 200 },
} as const;

export type Size = keyof typeof SIZES;

/** How many, in this run; a share of them by `FAULTS_SHARE`, such as 0.1, to try what a change does. */
export const sizeOf = (name: Size): number =>
  Math.ceil(SIZES[name][inject('isDeep') ? 'deep' : 'pr'] * Number(process.env['FAULTS_SHARE'] ?? 1));
