import { expect, test } from 'vitest';
import { dayFirst, mesDe, pesos } from './texts.ts';

test('months by number, as digits or not', () => {
  expect([mesDe('01'), mesDe(12), mesDe('13'), mesDe('')]).toEqual(['enero', 'diciembre', '', '']);
});

test('days are turned around, whatever follows them', () => {
  expect([dayFirst('2025-08-14'), dayFirst('2025-08-14 10:00:00', '-'), dayFirst(null)]).toEqual([
    '14/08/2025',
    '14-08-2025',
    '',
  ]);
});

test('amounts have thousands and two decimals', () => {
  expect(['1160.5', '0', 1234567.891].map(pesos)).toEqual(['$1,160.50', '$0.00', '$1,234,567.89']);
});
