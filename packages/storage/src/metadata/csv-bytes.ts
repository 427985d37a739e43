/** What the writers below answer when the bytes are not what the column may hold. */
export const NOT_VALID = -1;

const QUOTE = 0x22;
const DASH = 0x2d;
/** 1 where a UUID has a dash. */
const DASH_AT = Uint8Array.from('00000000-0000-0000-0000-000000000000', (character) => (character === '-' ? 1 : 0));
const UUID_LENGTH = 36;
const INSTANT_LENGTH = 19;

/** Upper-case hexadecimal digit for each byte that is one, 0 for the others. */
const HEX_UPPER = new Uint8Array(256);
for (const digit of '0123456789ABCDEF') {
  HEX_UPPER[digit.charCodeAt(0)] = digit.charCodeAt(0);
  HEX_UPPER[digit.toLowerCase().charCodeAt(0)] = digit.charCodeAt(0);
}

/** Copies a field as it is. Returns the offset after it. */
export function writePlain(source: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  let o = at;
  for (let i = start; i < end; i++) out[o++] = source[i] as number;
  return o;
}

/** Copies a field between quotation marks, those inside it doubled (RFC 4180, section 2, rules 5 to 7). */
export function writeQuoted(source: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  let o = at;
  out[o++] = QUOTE;
  for (let i = start; i < end; i++) {
    const byte = source[i] as number;
    out[o++] = byte;
    if (byte === QUOTE) out[o++] = QUOTE;
  }
  out[o++] = QUOTE;
  return o;
}

/** Copies a UUID in upper case, as the SAT prints it. */
export function writeUuid(source: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  if (end - start !== UUID_LENGTH) return NOT_VALID;
  for (let i = 0; i < UUID_LENGTH; i++) {
    const byte = source[start + i] as number;
    const written = DASH_AT[i] === 1 ? (byte === DASH ? DASH : 0) : (HEX_UPPER[byte] as number);
    if (written === 0) return NOT_VALID;
    out[at + i] = written;
  }
  return at + UUID_LENGTH;
}

/** Copies `yyyy-MM-dd HH:mm:ss` as `yyyy-MM-ddTHH:mm:ss`, the wall clock of central Mexico without a zone. */
export function writeInstant(source: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  if (end - start !== INSTANT_LENGTH) return NOT_VALID;
  for (let i = 0; i < INSTANT_LENGTH; i++) {
    const byte = source[start + i] as number;
    out[at + i] = byte;
    const separator = INSTANT_SEPARATORS[i] as number;
    if (separator === 0 ? byte < 0x30 || byte > 0x39 : byte !== separator) {
      if (i !== 10 || byte !== 0x54) return NOT_VALID;
    }
  }
  out[at + 10] = 0x54;
  return at + INSTANT_LENGTH;
}

const INSTANT_SEPARATORS = Uint8Array.from('0000-00-00 00:00:00', (character) =>
  character === '0' ? 0 : character.charCodeAt(0),
);

/**
 * Compares the 19 bytes of an instant with another: negative, zero or positive, as they are earlier, equal or later.
 */
export function compareInstant(out: Uint8Array, at: number, other: Uint8Array): number {
  for (let i = 0; i < INSTANT_LENGTH; i++) {
    const difference = (out[at + i] as number) - (other[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
