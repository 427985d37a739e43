/** More columns than any file of the SAT has had; a header beyond it is not a metadata file. */
export const MAX_COLUMNS = 64;

/** What {@link RecordScanner.scan} answers when the buffer ends before the record does. */
export const NEEDS_MORE = -1;

const TILDE = 0x7e;
const PIPE = 0x7c;
const CR = 0x0d;
const LF = 0x0a;

const SPECIAL_FOR_CSV = 1;
const STRUCTURAL = 2;

const CLASS = new Uint8Array(256);
CLASS[0x22] = SPECIAL_FOR_CSV;
CLASS[0x2c] = SPECIAL_FOR_CSV;
for (const byte of [TILDE, PIPE, CR, LF]) CLASS[byte] = STRUCTURAL;

export type LineEnd = 'CRLF' | 'LF';

/**
 * Finds the fields of one record at a time in a buffer of the SAT's metadata text: fields separated by `~`, a field
 * optionally between two `|`, records ended by CRLF (a lone CR or LF is then part of a field) or, in files written with
 * bare line feeds, by LF. It works on bytes, which is safe in UTF-8: the bytes it looks for are never part of another
 * character. After a scan the fields are `starts[i]` to `ends[i]`, and `quotes[i]` is 1 when CSV has to quote field
 * `i`.
 */
export class RecordScanner {
  readonly starts = new Int32Array(MAX_COLUMNS + 1);
  readonly ends = new Int32Array(MAX_COLUMNS + 1);
  readonly quotes = new Uint8Array(MAX_COLUMNS + 1);
  /** Fields of the last record; never more than MAX_COLUMNS + 1, whatever it holds. */
  count = 0;
  readonly #crlf: boolean;

  constructor(lineEnd: LineEnd) {
    this.#crlf = lineEnd === 'CRLF';
  }

  /**
   * Reads the record that begins at `from`. Returns the offset after its line end, or {@link NEEDS_MORE} when the line
   * end is not in the buffer; with `final` the end of the buffer is the end of the record.
   */
  scan(buffer: Uint8Array, from: number, final: boolean): number {
    const { starts, ends, quotes } = this;
    const crlf = this.#crlf;
    const length = buffer.length;
    let count = 0;
    let start = from;
    let special = 0;
    let i = from;
    while (i < length) {
      const byte = buffer[i] as number;
      const kind = CLASS[byte] as number;
      if (kind !== STRUCTURAL) {
        special |= kind;
        i++;
        continue;
      }
      if (byte === TILDE) {
        if (count < MAX_COLUMNS) {
          starts[count] = start;
          ends[count] = i;
          quotes[count] = special;
          count++;
        }
        i++;
        start = i;
        special = 0;
      } else if (byte === PIPE) {
        if (i !== start) {
          i++;
          continue;
        }
        const close = this.#closingPipe(buffer, i + 1, final);
        if (close === NEEDS_MORE) return NEEDS_MORE;
        if (close === NOT_QUALIFIED) {
          i++;
          continue;
        }
        if (count < MAX_COLUMNS) {
          starts[count] = i + 1;
          ends[count] = close;
          quotes[count] = needsQuotes(buffer, i + 1, close);
          count++;
        }
        i = close + 1;
        if (i < length && buffer[i] === TILDE) {
          i++;
          start = i;
          special = 0;
          continue;
        }
        this.count = count;
        if (i === length) return length;
        return i + (crlf ? 2 : 1);
      } else if (byte === LF) {
        if (!crlf) {
          this.#last(count, start, i, special);
          return i + 1;
        }
        special = 1;
        i++;
      } else {
        if (crlf && i + 1 === length && !final) return NEEDS_MORE;
        if (crlf && buffer[i + 1] === LF) {
          this.#last(count, start, i, special);
          return i + 2;
        }
        special = 1;
        i++;
      }
    }
    if (!final) return NEEDS_MORE;
    this.#last(count, start, length, special);
    return length;
  }

  #last(count: number, start: number, end: number, special: number): void {
    this.starts[count] = start;
    this.ends[count] = end;
    this.quotes[count] = special;
    this.count = count + 1;
  }

  /** The first `|` that a separator or the end of the record follows: the one that closes a qualified field. */
  #closingPipe(buffer: Uint8Array, from: number, final: boolean): number {
    const length = buffer.length;
    for (let i = from; i < length; i++) {
      const byte = buffer[i] as number;
      if (byte === PIPE) {
        if (i + 1 === length) return final ? i : NEEDS_MORE;
        if (buffer[i + 1] === TILDE) return i;
        const ending = this.#lineEndAt(buffer, i + 1, final);
        if (ending === NEEDS_MORE) return NEEDS_MORE;
        if (ending === 1) return i;
      } else if (byte === CR || byte === LF) {
        const ending = this.#lineEndAt(buffer, i, final);
        if (ending === NEEDS_MORE) return NEEDS_MORE;
        if (ending === 1) return NOT_QUALIFIED;
      }
    }
    return final ? NOT_QUALIFIED : NEEDS_MORE;
  }

  #lineEndAt(buffer: Uint8Array, at: number, final: boolean): number {
    if (!this.#crlf) return buffer[at] === LF ? 1 : 0;
    if (buffer[at] !== CR) return 0;
    if (at + 1 === buffer.length) return final ? 0 : NEEDS_MORE;
    return buffer[at + 1] === LF ? 1 : 0;
  }
}

const NOT_QUALIFIED = -2;

/** 1 when RFC 4180 wants the bytes between quotation marks: they hold a comma, a quotation mark, CR or LF. */
function needsQuotes(buffer: Uint8Array, start: number, end: number): number {
  for (let i = start; i < end; i++) {
    const byte = buffer[i] as number;
    if (byte === 0x22 || byte === 0x2c || byte === CR || byte === LF) return 1;
  }
  return 0;
}
