import { inject } from 'vitest';

/** How large each row of the matrix is: by `npm run test:faults`, and with `-- --deep`. */
const SIZES = { 'simulated solicitudes': { pr: 100_000, deep: 1_000_000 } } as const;

export type Size = keyof typeof SIZES;

/** How many, in this run. */
export const sizeOf = (name: Size): number => SIZES[name][inject('isDeep') ? 'deep' : 'pr'];
