import { expect, test } from 'vitest';
import { digitoVerificador } from './read-rfc.ts';

// Persons that the SAT publishes for tests of CFDI 4.0.
test.each(['EKU9003173C9', 'XIA190128J61', 'IIA040805DZ4', 'CACX7605101P8', 'MISC491214B86', 'FUNK671228PH6'])(
  'the last character of %s is the one that the rule gives',
  (rfc) => {
    expect(digitoVerificador(rfc)).toBe(rfc.at(-1));
  },
);

test('Ñ and & have values of their own', () => {
  const all = ['OOÑ120726RX3', 'OO&120726RX3', 'OON120726RX3'].map(digitoVerificador);
  expect(new Set(all).size).toBe(3);
});
