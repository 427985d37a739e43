import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GUARDS, textWithout } from '../mutants/guards.ts';
import { ROOT } from './sources.ts';

it.each(GUARDS)('the guard $name stands where the mutant takes it away, and its tests exist', (guard) => {
  const text = readFileSync(`${ROOT}${guard.file}`, 'utf8');
  expect(textWithout(guard, text)).not.toBe(text);
  expect(guard.tests.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
});
