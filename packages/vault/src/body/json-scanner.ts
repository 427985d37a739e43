/**
 * `JSON_INVALIDO`: not UTF-8, not JSON, not an object, or too deep. `CAMPO_REPETIDO`: a secret field stands there
 * twice.
 */
type MotivoCuerpo = 'JSON_INVALIDO' | 'CAMPO_REPETIDO';

interface Place {
  readonly line: number;
  readonly column: number;
}

/** A request body that is refused before anything of it became a string. Never carries a part of it. */
export class CuerpoIlegible extends Error {
  readonly motivo: MotivoCuerpo;
  /** The name of the repeated field. */
  readonly campo: string | null;
  /** Place of the mistake, both from 1, the column in characters; null when the bytes are not UTF-8. */
  readonly place: Place | null;

  constructor(motivo: MotivoCuerpo, campo: string | null = null, place: Place | null = null) {
    super(campo === null ? motivo : `${motivo}: ${campo}`);
    this.name = 'CuerpoIlegible';
    this.motivo = motivo;
    this.campo = campo;
    this.place = place;
  }
}

const LINE_FEED = 0x0a;
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

/** Where a value stands: from its first byte to after its last. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

const MAX_DEPTH = 32;
const LITERALS = ['true', 'false', 'null'].map((word) => Buffer.from(word));
const code = (char: string) => char.charCodeAt(0);

/**
 * Steps through JSON (RFC 8259) in a buffer of valid UTF-8. Makes no strings. Every method throws {@link
 * CuerpoIlegible}.
 */
export class JsonScanner {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Calls back for each member of the one object that the text must be, and demands that nothing follows it. */
  readObject(onMember: (name: JsonSpan, value: JsonSpan) => void): void {
    this.#skipBlanks();
    this.#object(1, onMember);
    this.#skipBlanks();
    if (this.#position !== this.#bytes.length) this.#fail();
  }

  #fail(): never {
    // A loop: `filter` would leave a copy of secret bytes.
    const place = { line: 1, column: 1 };
    for (const byte of this.#bytes.subarray(0, this.#position)) {
      if (byte === LINE_FEED) Object.assign(place, { line: place.line + 1, column: 1 });
      // Bytes 10xxxxxx continue a character.
      else if ((byte & 0xc0) !== 0x80) place.column += 1;
    }
    throw new CuerpoIlegible('JSON_INVALIDO', null, place);
  }

  #skipBlanks(): void {
    for (;;) {
      const byte = this.#bytes[this.#position];
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return;
      this.#position += 1;
    }
  }

  #take(char: string): boolean {
    if (this.#bytes[this.#position] !== code(char)) return false;
    this.#position += 1;
    return true;
  }

  #expect(char: string): void {
    if (!this.#take(char)) this.#fail();
  }

  /** `{` or `[`, members with commas between them, and the closing bracket. */
  #members(depth: number, open: string, close: string, readMember: () => void): void {
    if (depth > MAX_DEPTH) this.#fail();
    this.#expect(open);
    this.#skipBlanks();
    if (this.#take(close)) return;
    do {
      this.#skipBlanks();
      readMember();
      this.#skipBlanks();
    } while (this.#take(','));
    this.#expect(close);
  }

  #object(depth: number, onMember?: (name: JsonSpan, value: JsonSpan) => void): void {
    this.#members(depth, '{', '}', () => {
      const name = this.#string();
      this.#skipBlanks();
      this.#expect(':');
      this.#skipBlanks();
      const value = this.#value(depth + 1);
      onMember?.(name, value);
    });
  }

  #value(depth: number): JsonSpan {
    const start = this.#position;
    const first = this.#bytes[start];
    if (first === code('"')) return this.#string();
    if (first === code('{')) this.#object(depth);
    else if (first === code('[')) this.#members(depth, '[', ']', () => this.#value(depth + 1));
    else if (first === code('-') || isDigit(first)) this.#number();
    else this.#literal();
    return { start, end: this.#position };
  }

  #string(): JsonSpan {
    const start = this.#position;
    const walked = walkJsonString(this.#bytes, start, null);
    if (walked === null) this.#fail();
    this.#position = walked.end;
    return { start, end: walked.end };
  }

  #literal(): void {
    const rest = this.#bytes.subarray(this.#position, this.#position + 5);
    const word = LITERALS.find((literal) => rest.subarray(0, literal.length).equals(literal));
    if (word === undefined) this.#fail();
    this.#position += word.length;
  }

  #number(): void {
    this.#take('-');
    if (!this.#take('0')) this.#digits();
    if (this.#take('.')) this.#digits();
    if (this.#take('e') || this.#take('E')) {
      if (!this.#take('+')) this.#take('-');
      this.#digits();
    }
  }

  #digits(): void {
    const start = this.#position;
    while (isDigit(this.#bytes[this.#position])) this.#position += 1;
    if (this.#position === start) this.#fail();
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
