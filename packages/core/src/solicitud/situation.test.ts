import { describe, expect, it } from 'vitest';
import { type Facts, type Situation, situationOf } from './situation.ts';

const BOTH = [false, true];
const COPIES = ['OFFERED', 'NONE', 'FALTA_LLAVE', 'ALTERADA'] as const;

/** Every combination of facts. */
const all: Facts[] = (['soap', 'portal'] as const).flatMap((canal) =>
  COPIES.flatMap((copy) =>
    BOTH.flatMap((isRefused) =>
      BOTH.flatMap((isOptional) =>
        BOTH.flatMap((isLate) => BOTH.map((canChange) => ({ canal, copy, isRefused, isOptional, isLate, canChange }))),
      ),
    ),
  ),
);
const situationsOf = (matches: (facts: Facts) => boolean): Situation[] => [
  ...new Set(all.filter(matches).map((facts) => situationOf(facts))),
];

describe('the decision table of a step', () => {
  it('asks the SAT with an offered credential that was not refused', () => {
    expect(situationsOf(({ copy, isRefused, isOptional }) => copy === 'OFFERED' && !isRefused && !isOptional)).toEqual([
      'ASK',
    ]);
    expect(situationsOf(({ copy, isRefused }) => copy !== 'OFFERED' || isRefused)).not.toContain('ASK');
  });

  it('never asks again with a refused credential', () => {
    expect(situationsOf(({ isRefused, isOptional }) => isRefused && !isOptional)).toEqual(['REFUSED']);
    expect(situationsOf(({ isRefused, isOptional }) => isRefused && isOptional)).toEqual(['UNCONFIRMED']);
  });

  it('ends no solicitud over the confirmation of an empty answer', () => {
    expect(situationsOf(({ isOptional }) => isOptional).toSorted()).toEqual(['ASK', 'AWAIT_KEY', 'UNCONFIRMED']);
    expect(situationsOf(({ isOptional, isLate }) => isOptional && isLate)).toEqual(['UNCONFIRMED']);
  });

  it.each<[string, Partial<Facts>, Situation]>([
    ['the key of the copy is missing', { copy: 'FALTA_LLAVE' }, 'AWAIT_KEY'],
    ['the copy is altered', { copy: 'ALTERADA' }, 'NO_CREDENTIAL'],
    ['the CIEC is gone', { copy: 'NONE', canal: 'portal', canChange: true }, 'NO_CREDENTIAL'],
    ['the e.firma is gone, and a CIEC is stored', { copy: 'NONE', canChange: true }, 'OTHER_CHANNEL'],
    ['the e.firma is gone', { copy: 'NONE' }, 'AWAIT_EFIRMA'],
  ])('goes on as far as it can: %s', (_name, change, situation) => {
    const facts: Facts = {
      canal: 'soap',
      copy: 'OFFERED',
      isRefused: false,
      isOptional: false,
      isLate: false,
      canChange: false,
      ...change,
    };
    expect(situationOf(facts)).toBe(situation);
    expect(situationOf({ ...facts, isLate: true })).toBe(situation);
  });
});
