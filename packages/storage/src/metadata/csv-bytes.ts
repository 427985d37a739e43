import { type LineEnd, NEEDS_MORE } from './record-reader.ts';

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

const TILDE = 0x7e;
export const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;

/** 1 for the bytes that a field and its CSV share: all but the separators, the qualifier and what CSV has to quote. */
const PLAIN = new Uint8Array(256).fill(1);
for (const byte of [TILDE, 0x7c, CR, LF, 0x22, COMMA]) PLAIN[byte] = 0;

export const VIGENTE = Buffer.from('VIGENTE');
export const CANCELADO = Buffer.from('CANCELADO');

/**
 * Writes the SAT's twelve columns of one record as CSV in a single pass, when they are in their usual order and nothing
 * in them needs more than a copy, which is how nearly all records are. It decides nothing: whatever else it meets, it
 * gives up, and the record is scanned and judged by the general way.
 */
export class PlainRecord {
  /** Offset in the output after the twelve columns. */
  end = 0;
  /** Offset in the output of fecha_emision. */
  fechaEmision = 0;
  /** Offset in the output of efecto_comprobante. */
  efecto = 0;
  isCancelado = false;
  /** Offsets in the output of the counterparty's RFC, and after it. */
  rfc = 0;
  rfcEnd = 0;
  readonly #rfcColumn: number;

  /** @param rfcColumn which of the twelve columns is the counterparty's RFC. */
  constructor(rfcColumn: number) {
    this.#rfcColumn = rfcColumn - 1;
  }

  /** Returns the offset after the record, or {@link NEEDS_MORE} when it gave up. */
  write(buffer: Uint8Array, from: number, lineEnd: LineEnd, out: Uint8Array, at: number): number {
    const length = buffer.length;
    let i = from;
    let o = at;
    if (length - i < 120 || out.length - o < 256) return NEEDS_MORE;
    if (buffer[i + 36] !== TILDE || writeUuid(buffer, i, i + 36, out, o) === NOT_VALID) return NEEDS_MORE;
    i += 37;
    o += 36;
    for (let column = 0; column < 9; column++) {
      out[o++] = COMMA;
      if (column === 5 || column === 6) {
        if (i + 19 >= length || out.length - o < 128) return NEEDS_MORE;
        if (column === 5) this.fechaEmision = o;
        if (writeInstant(buffer, i, i + 19, out, o) === NOT_VALID) return NEEDS_MORE;
        i += 19;
        o += 19;
      } else {
        if (column === 8) this.efecto = o;
        const start = o;
        const limit = Math.min(length, i + out.length - o - 128);
        for (; i < limit; i++) {
          const byte = buffer[i] as number;
          if (PLAIN[byte] === 0) break;
          out[o++] = byte;
        }
        if (column === this.#rfcColumn) {
          this.rfc = start;
          this.rfcEnd = o;
        }
      }
      if (i >= length || buffer[i] !== TILDE) return NEEDS_MORE;
      i++;
    }
    if (i + 2 + 19 + 2 > length || buffer[i + 1] !== TILDE) return NEEDS_MORE;
    const estatus = buffer[i] as number;
    if (estatus !== 0x30 && estatus !== 0x31) return NEEDS_MORE;
    out[o++] = COMMA;
    this.isCancelado = estatus === 0x30;
    const word = this.isCancelado ? CANCELADO : VIGENTE;
    o = writePlain(word, 0, word.length, out, o);
    out[o++] = COMMA;
    i += 2;
    const ender = lineEnd === 'CRLF' ? CR : LF;
    if (buffer[i] !== ender) {
      if (writeInstant(buffer, i, i + 19, out, o) === NOT_VALID) return NEEDS_MORE;
      i += 19;
      o += 19;
      if (buffer[i] !== ender) return NEEDS_MORE;
    }
    this.end = o;
    if (lineEnd === 'LF') return i + 1;
    return buffer[i + 1] === LF ? i + 2 : NEEDS_MORE;
  }
}

/** A field of CSV, quoted where it has to be (RFC 4180). */
export const toCsv = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
