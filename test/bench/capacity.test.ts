import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { capacityTable, looksUntil } from './capacity.ts';

const agenda = {
  primeraSegundos: 60,
  factor: 2,
  maximaSegundos: 200,
  retrasadaSegundos: 43_200,
  portalSegundos: [3_600, 10_800],
  vaciaSegundos: 3_600,
};

it.each([
  ['web service, growing waits', 'soap', 400, [60, 180, 380, 580]],
  ['web service, done before the first look', 'soap', 0, [60]],
  ['portal, the last hour again and again', 'portal', 30_000, [3_600, 10_800, 21_600, 32_400]],
] as const)('counts the looks: %s', (_, canal, doneAfter, looks) => {
  expect(looksUntil(agenda, canal, doneAfter)).toEqual(looks);
});

it('docs/operators/capacity.md has the figures that the settings give', () => {
  expect(readFileSync(new URL('../../docs/operators/capacity.md', import.meta.url), 'utf8')).toContain(capacityTable());
});
