import { expect, it } from 'vitest';
import { figures } from './figures.ts';

it.each(figures().map((figure) => [figure.name, figure] as const))(
  '%s stays within its limit',
  (name, { now, limit }) => {
    expect(now, `${name}: the limit in figures.ts may only fall`).toBeLessThanOrEqual(limit);
  },
);
