import { CuerpoIlegible } from './cuerpo-ilegible.ts';
import { walkJsonString } from './json-string.ts';

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
    throw new CuerpoIlegible('JSON_INVALIDO');
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
