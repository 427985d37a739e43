import { ROLES } from '@acuse/settings/worker';
import { expect, it } from 'vitest';
import { ROLES as OPENED } from './worker.ts';

it('opens something in each role of the settings', () => {
  expect(new Set(OPENED.map(({ role }) => role))).toEqual(new Set(ROLES));
});
