/** How many characters a CIEC may have. */
export interface CiecLength {
  readonly min: number;
  readonly max: number;
}

/**
 * Code points that print nothing: controls (C0, DEL, C1), the soft hyphen, separators of lines, and marks of direction,
 * width and order.
 */
const UNPRINTABLE: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xfff0, 0xfffb],
];

/** The code points of valid UTF-8, without making a string. */
function* codePoints(bytes: Uint8Array): Generator<number> {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    let code = size === 1 ? lead : lead & (0xff >> (size + 1));
    for (let next = 1; next < size; next += 1) code = (code << 6) | ((bytes[at + next] ?? 0) & 0x3f);
    yield code;
    at += size;
  }
}

/**
 * Fault of a CIEC (UTF-8), in Spanish, or null: characters that a keyboard cannot type, or a wrong length. Makes no
 * string of the CIEC.
 */
export function reparoCiec(bytes: Uint8Array, { min, max }: CiecLength): string | null {
  let characters = 0;
  for (const code of codePoints(bytes)) {
    if (UNPRINTABLE.some(([from, to]) => code >= from && code <= to))
      return 'solo puede tener caracteres imprimibles, sin tabuladores, saltos de línea ni otros caracteres de control';
    characters += 1;
  }
  if (characters >= min && characters <= max) return null;
  return min === max ? `debe tener ${max} caracteres` : `debe tener de ${min} a ${max} caracteres`;
}
