import { inject } from 'vitest';

/** How large each row of the matrix is: by `npm run test:faults`, and with `-- --deep`. */
const SIZES = {
  'slow sockets': { pr: 500, deep: 5_000 },
  'runs of the model': { pr: 2_000, deep: 50_000 },
  'simulated solicitudes': { pr: 100_000, deep: 1_000_000 },
} as const;

export type Size = keyof typeof SIZES;

/** How many, in this run; a share of them by `FAULTS_SHARE`, such as 0.1, to try what a change does. */
export const sizeOf = (name: Size): number =>
  Math.ceil(SIZES[name][inject('isDeep') ? 'deep' : 'pr'] * Number(process.env['FAULTS_SHARE'] ?? 1));
