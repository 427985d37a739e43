const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const SIMPLE_ESCAPES: ReadonlyMap<number, number> = new Map([
  [QUOTE, QUOTE],
  [BACKSLASH, BACKSLASH],
  [0x2f, 0x2f],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** The UTF-16 unit of `uXXXX` at `position` (of the `u`), or -1. */
function codeUnit(bytes: Buffer, position: number): number {
  if (bytes[position] !== LETTER_U) return -1;
  let unit = 0;
  for (let offset = 1; offset <= 4; offset += 1) {
    const digit = hexDigit(bytes[position + offset] ?? 0);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/**
 * The character of `uXXXX`, or of a surrogate pair `uXXXX\uXXXX`, and how many bytes that took. Null when it is half a
 * pair.
 */
function escapedCharacter(bytes: Buffer, position: number): { code: number; size: number } | null {
  const unit = codeUnit(bytes, position);
  if (unit < 0 || (unit >= 0xdc00 && unit <= 0xdfff)) return null;
  if (unit < 0xd800 || unit > 0xdbff) return { code: unit, size: 5 };
  if (bytes[position + 5] !== BACKSLASH) return null;
  const low = codeUnit(bytes, position + 6);
  if (low < 0xdc00 || low > 0xdfff) return null;
  return { code: 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00), size: 11 };
}

/** Writes a character as UTF-8 and returns the next offset. `sink` null only counts. */
function writeCharacter(sink: Buffer | null, offset: number, code: number): number {
  const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  if (sink === null) return offset + size;
  const lead = [0, 0xc0, 0xe0, 0xf0][size - 1] ?? 0;
  for (let index = size - 1; index > 0; index -= 1) {
    sink[offset + index] = 0x80 | ((code >> (6 * (size - 1 - index))) & 0x3f);
  }
  sink[offset] = lead | (code >> (6 * (size - 1)));
  return offset + size;
}

/**
 * Walks a JSON string (RFC 8259, 7) from its opening quote and, if there is a sink, decodes it there. Returns where it
 * ends, after the closing quote, and its decoded length in bytes; null when it is not a valid string or holds half a
 * surrogate pair. The bytes must be valid UTF-8.
 */
export function walkJsonString(
  bytes: Buffer,
  start: number,
  sink: Buffer | null,
): { readonly end: number; readonly length: number } | null {
  if (bytes[start] !== QUOTE) return null;
  let length = 0;
  for (let position = start + 1; position < bytes.length; ) {
    const byte = bytes[position] ?? 0;
    if (byte === QUOTE) return { end: position + 1, length };
    if (byte < 0x20) return null;
    if (byte !== BACKSLASH) {
      if (sink !== null) sink[length] = byte;
      length += 1;
      position += 1;
      continue;
    }
    const simple = SIMPLE_ESCAPES.get(bytes[position + 1] ?? 0);
    const escaped = simple === undefined ? escapedCharacter(bytes, position + 1) : { code: simple, size: 1 };
    if (escaped === null) return null;
    length = writeCharacter(sink, length, escaped.code);
    position += 1 + escaped.size;
  }
  return null;
}
