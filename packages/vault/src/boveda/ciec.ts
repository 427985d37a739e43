/** How many characters a CIEC may have. */
export interface CiecLength {
  readonly min: number;
  readonly max: number;
}

/**
 * What is wrong with the length of a CIEC (UTF-8), in Spanish, or null. Counts characters, not bytes, without making a string: a byte of UTF-8
 * that continues a character has the bits 10.
 */
export function reparoCiec(bytes: Uint8Array, { min, max }: CiecLength): string | null {
  const characters = bytes.reduce((count, byte) => (byte >> 6 === 0b10 ? count : count + 1), 0);
  if (characters >= min && characters <= max) return null;
  return min === max ? `debe tener ${max} caracteres` : `debe tener de ${min} a ${max} caracteres`;
}
