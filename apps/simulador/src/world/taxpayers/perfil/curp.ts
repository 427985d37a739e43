import { mix, word } from '../mix.ts';

const ORDER = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';
const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXYZ';
const ENTIDADES = ['AS', 'BC', 'CL', 'CS', 'DF', 'GT', 'JC', 'MC', 'NL', 'OC', 'PL', 'YN'];

/**
 * A CURP for a natural person: the RFC's first ten signs (N for Ñ, X for &), sex, state, three consonants, the sign of
 * the century and the check digit (weights 18 to 2, modulo 10), as the "Instructivo normativo para la asignación de la
 * CURP" forms it.
 */
export function curpOf(key: Uint32Array, rfc: string, fechaNacimiento: string): string {
  const pick = (slot: number, signs: string | readonly string[]) =>
    signs[mix(word(key, slot), slot) % signs.length] ?? '';
  const head = rfc.slice(0, 10).replaceAll('Ñ', 'N').replaceAll('&', 'X');
  const consonants = pick(16, CONSONANTS) + pick(17, CONSONANTS) + pick(18, CONSONANTS);
  const century = fechaNacimiento >= '2000' ? 'A' : '0';
  const base = `${head}${pick(19, 'HM')}${pick(20, ENTIDADES)}${consonants}${century}`;
  const sum = [...base].reduce((total, sign, i) => total + ORDER.indexOf(sign) * (18 - i), 0);
  return `${base}${(10 - (sum % 10)) % 10}`;
}
