export const [TAB, LF, CR, SPACE, BANG, QUOTE, AMP, APOS, DASH, SLASH] = [9, 10, 13, 32, 33, 34, 38, 39, 45, 47];
export const [SEMICOLON, LESS, EQUAL, GREATER, QUESTION, BRACKET, EF] = [59, 60, 61, 62, 63, 93, 0xef];

export const isSpace = (byte: number) => byte === SPACE || byte === LF || byte === CR || byte === TAB;
/** One for each byte that goes by without a look: all but control characters, 0xEF and those listed. */
const plain = (special: readonly number[]) =>
  Uint8Array.from({ length: 256 }, (_, byte) =>
    (byte >= SPACE || isSpace(byte)) && byte !== EF && !special.includes(byte) ? 1 : 0,
  );
/** Bytes inside of a quoted value. */
export const VALUE = plain([QUOTE, APOS, AMP, LESS]);
/** Bytes between two tags. */
export const TEXT = plain([LESS, AMP, BRACKET]);
/** Bytes of comments, CDATA sections and instructions. */
export const OPAQUE = plain([DASH, BRACKET, QUESTION]);
/** Bytes of names; those of 0x80 and more are checked with the whole name. */
export const NAME = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[\w.:-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
