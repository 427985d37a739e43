import { COMMA } from '../metadata/csv-bytes.ts';
import { ESTATUS } from '../metadata/record-reader.ts';
import type { CsvField } from './byte-sink.ts';
import { AMOUNT_DIGITS, CSV_COLUMNS, integerDigits } from './columns.ts';

const QUOTE = 0x22;
const CR = 0x0d;
const ZERO = 0x30;
const POINT = 0x2e;
const MINUS = 0x2d;
const V = 0x56;

/**
 * One row of our own CSV at a time, field by field, in bytes. It reads nothing but what we write: whole rows, fields
 * quoted or not, CRLF, valid UTF-8.
 */
export class CsvRow {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** 1 where a quotation mark inside the field is doubled. */
  readonly doubled: Uint8Array;
  readonly #count: number;

  /** @param count fields of a row. */
  constructor(count = CSV_COLUMNS) {
    this.#count = count;
    this.starts = new Int32Array(count);
    this.ends = new Int32Array(count);
    this.doubled = new Uint8Array(count);
  }

  /** Reads the row that begins at `from`; returns the offset after its line end. */
  read(chunk: Uint8Array, from: number): number {
    let at = from;
    const count = this.#count;
    for (let column = 0; column < count; column++) {
      const last = column === count - 1;
      if (chunk[at] === QUOTE) {
        at = this.#readQuoted(chunk, at + 1, column);
      } else {
        this.starts[column] = at;
        this.doubled[column] = 0;
        const end = last ? CR : COMMA;
        while (at < chunk.length && chunk[at] !== end) at++;
        this.ends[column] = at;
      }
      if (chunk[at] !== (last ? CR : COMMA)) throw new Error('a row does not have its columns');
      at++;
    }
    return at + 1;
  }

  #readQuoted(chunk: Uint8Array, start: number, column: number): number {
    let at = start;
    let doubled = 0;
    for (; at < chunk.length; at++) {
      if (chunk[at] !== QUOTE) continue;
      if (chunk[at + 1] !== QUOTE) break;
      doubled = 1;
      at++;
    }
    this.starts[column] = start;
    this.ends[column] = at;
    this.doubled[column] = doubled;
    return at + 1;
  }

  isEmpty(column: number): boolean {
    return this.starts[column] === this.ends[column];
  }

  /** Whether `estatus` is VIGENTE: it is that or CANCELADO. */
  isVigente(chunk: Uint8Array): boolean {
    return chunk[this.starts[ESTATUS] as number] === V;
  }

  /** Where the bytes of a field are. */
  field(chunk: Uint8Array, column: number): CsvField {
    const [start, end] = [this.starts[column] as number, this.ends[column] as number];
    return { source: chunk, start, end, doubled: this.doubled[column] === 1 };
  }

  /** The text of a field. */
  text(chunk: Buffer, column: number): string {
    const text = chunk.toString('utf8', this.starts[column], this.ends[column]);
    return this.doubled[column] === 0 ? text : text.replaceAll('""', '"');
  }
}

const digits = (bytes: Uint8Array, at: number, count: number): number => {
  let value = 0;
  for (let i = at; i < at + count; i++) value = value * 10 + (bytes[i] as number) - ZERO;
  return value;
};

/** 0 stands for a digit. */
const INSTANT = Buffer.from('0000-00-00T00:00:00');
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Days from 0000-01-01 to 1970-01-01, were the calendar always Gregorian. */
const UNIX_DAY = 719_528;

/**
 * Seconds from 1970 to `yyyy-MM-ddTHH:mm:ss`, read as UTC. NaN for another text, and for a date or time that does not
 * exist.
 */
export function readInstant(bytes: Uint8Array, at: number, end: number): number {
  if (end - at !== INSTANT.length) return Number.NaN;
  for (let i = 0; i < INSTANT.length; i++) {
    const [byte, sign] = [bytes[at + i] as number, INSTANT[i] as number];
    if (sign === ZERO ? !isDigit(byte) : byte !== sign) return Number.NaN;
  }
  const year = digits(bytes, at, 4);
  const month = digits(bytes, at + 5, 2);
  const day = digits(bytes, at + 8, 2);
  const [hour, minute, second] = [digits(bytes, at + 11, 2), digits(bytes, at + 14, 2), digits(bytes, at + 17, 2)];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const monthDays = (MONTH_DAYS[month - 1] ?? 0) + (month === 2 && isLeap ? 1 : 0);
  if (day < 1 || day > monthDays || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  const before = year - 1;
  const leapDays = year === 0 ? 0 : Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) + 1;
  const yearDay = (DAYS_BEFORE_MONTH[month - 1] as number) + (month > 2 && isLeap ? 1 : 0) + day - 1;
  const days = 365 * year + leapDays + yearDay - UNIX_DAY;
  return days * 86_400 + hour * 3_600 + minute * 60 + second;
}

/** An amount as text: where its digits are. */
export class Amount {
  isNegative = false;
  /** Without zeros that lead. */
  integerStart = 0;
  integerEnd = 0;
  fractionStart = 0;
  /** Without zeros beyond the last place that there may be. */
  fractionEnd = 0;
  #limit: number = AMOUNT_DIGITS.fraction;

  /**
   * Returns false for a text that is not a decimal or has too many digits, of which `limit` may follow the point; the
   * object then holds no value.
   */
  read(bytes: Uint8Array, start: number, end: number, limit: number = AMOUNT_DIGITS.fraction): boolean {
    let at = start;
    this.#limit = limit;
    this.isNegative = bytes[at] === MINUS;
    if (this.isNegative) at++;
    const first = at;
    while (at < end && isDigit(bytes[at] as number)) at++;
    if (at === first) return false;
    this.integerStart = first;
    this.integerEnd = at;
    while (this.integerStart < at - 1 && bytes[this.integerStart] === ZERO) this.integerStart++;
    this.fractionStart = at;
    this.fractionEnd = at;
    if (at < end) {
      if (bytes[at] !== POINT || at + 1 === end) return false;
      this.fractionStart = at + 1;
      for (at++; at < end; at++) if (!isDigit(bytes[at] as number)) return false;
      this.fractionEnd = end;
      while (this.#places > limit && bytes[this.fractionEnd - 1] === ZERO) this.fractionEnd--;
    }
    return this.integerEnd - this.integerStart <= integerDigits(limit) && this.#places <= limit;
  }

  get #places(): number {
    return this.fractionEnd - this.fractionStart;
  }

  /** Digits that count, at most: those of the integer part and of the fraction. */
  get digits(): number {
    return this.integerEnd - this.integerStart + this.#places;
  }

  /** In units of the last place that there may be. */
  scaled(bytes: Uint8Array): bigint {
    const integer = digits(bytes, this.integerStart, this.integerEnd - this.integerStart);
    const places = this.#places;
    const fraction = digits(bytes, this.fractionStart, places) * 10 ** (this.#limit - places);
    const scale = 10 ** this.#limit;
    const whole =
      integer * scale + fraction < Number.MAX_SAFE_INTEGER
        ? BigInt(integer * scale + fraction)
        : BigInt(integer) * BigInt(scale) + BigInt(fraction);
    return this.isNegative ? -whole : whole;
  }

  /** Writes it as a number of JSON; returns the offset after it. */
  write(bytes: Uint8Array, out: Uint8Array, from: number): number {
    let at = from;
    if (this.isNegative) out[at++] = MINUS;
    for (let i = this.integerStart; i < this.integerEnd; i++) out[at++] = bytes[i] as number;
    if (this.#places === 0) return at;
    out[at++] = POINT;
    for (let i = this.fractionStart; i < this.fractionEnd; i++) out[at++] = bytes[i] as number;
    return at;
  }
}

const isDigit = (byte: number) => byte >= ZERO && byte <= ZERO + 9;
