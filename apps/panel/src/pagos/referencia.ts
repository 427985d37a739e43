import { randomInt } from 'node:crypto';

/** No 0, 1, I, L, O, U: read aloud or typed from a bank's statement, none is taken for another. */
const LETRAS = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const LARGO = 10;

/**
 * A new reference for a payment, `AC` and ten letters or digits: what fits into the concept of a SPEI and is found in a
 * statement.
 */
export function newReferencia(): string {
  return `AC${Array.from({ length: LARGO }, () => LETRAS[randomInt(LETRAS.length)]).join('')}`;
}
