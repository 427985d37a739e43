import type { CanalSat } from '../credencial.ts';
import type { CopiaCerrada } from '../ports/credential-source.ts';

/** Facts of a due part before the SAT is asked. */
export interface Facts {
  /** Channel of the solicitud. */
  readonly canal: CanalSat;
  /** The SAT refused the stored credential at that channel. */
  readonly isRefused: boolean;
  /** Credential of the part: offered by a source, absent, or closed. */
  readonly copy: 'OFFERED' | 'NONE' | CopiaCerrada;
  /** The solicitud may end without the answer: it confirms an empty one, or fills in XML from the other channel. */
  readonly isOptional: boolean;
  /** The solicitud is older than 72 hours. */
  readonly isLate: boolean;
  /** The solicitud may go on at the other channel. */
  readonly canChange: boolean;
}

/** Next action of a step on its part. */
export type Situation =
  /** Asks the SAT with the credential. */
  | 'ASK'
  /** Goes on without the optional answer. */
  | 'UNCONFIRMED'
  /** Ends: another log-in might lock the taxpayer's account at the SAT. */
  | 'REFUSED'
  /** Waits until the key of the sealed copy is back. */
  | 'AWAIT_KEY'
  /** Goes on at the other channel. */
  | 'OTHER_CHANNEL'
  /** Waits until the e.firma is stored again. */
  | 'AWAIT_EFIRMA'
  /** Ends: there is no credential to go on with. */
  | 'NO_CREDENTIAL';

/** Situations in which the SAT is not asked. */
export type WithoutAsking = Exclude<Situation, 'ASK'>;

/** The decision table of a step. */
export function situationOf(facts: Facts & { readonly copy: Exclude<Facts['copy'], 'OFFERED'> }): WithoutAsking;
export function situationOf(facts: Facts): Situation;
export function situationOf({ canal, isRefused, copy, isOptional, isLate, canChange }: Facts): Situation {
  const canAsk = copy === 'OFFERED' || copy === 'FALTA_LLAVE';
  if (isOptional && (isRefused || isLate || !canAsk)) return 'UNCONFIRMED';
  if (isRefused) return 'REFUSED';
  switch (copy) {
    case 'OFFERED':
      return 'ASK';
    case 'FALTA_LLAVE':
      return 'AWAIT_KEY';
    case 'ALTERADA':
      return 'NO_CREDENTIAL';
    case 'NONE':
      if (canal === 'portal') return 'NO_CREDENTIAL';
      return canChange ? 'OTHER_CHANNEL' : 'AWAIT_EFIRMA';
  }
}
