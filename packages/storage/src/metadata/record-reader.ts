import type { PaqueteSatInvalido, TipoDescarga } from '@acuse/core';

/** Longer than any record can be (a name has at most 300 characters): beyond it the text is no metadata. Bytes. */
const MAX_RECORD_BYTES = 65_536;

/** Bytes of a chunk that are joined to a record of the chunk before: enough for nearly all records. */
const JOINED_BYTES = 4_096;

/** Makes the error that says which file, and where in it. */
export type InvalidText = (motivo: 'SIN_METADATA' | 'COLUMNAS' | 'FILA', detalle: string) => PaqueteSatInvalido;

export interface RecordSink {
  /** Gets the names of the header in order, as written, once; throws when they will not do. */
  header(names: readonly string[]): void;
  /**
   * Gets every record that is not blank, with as many fields as the header has. `numero` counts from 1 below the
   * header.
   */
  record(buffer: Buffer, fields: RecordScanner, numero: number): void;
  /**
   * May take the record that begins at `from` by a shorter way: returns the offset after it, or NEEDS_MORE to leave it.
   */
  shortcut?(buffer: Buffer, from: number, lineEnd: LineEnd): number;
}

/**
 * Cuts a text of the SAT, which comes in chunks of any size, into records and hands them to a sink. The line end is the
 * one of the header line. A record whose number of fields is not the header's is an error, never left out.
 */
export class RecordReader {
  readonly #sink: RecordSink;
  readonly #invalid: InvalidText;
  #carry: Buffer = Buffer.alloc(0);
  #scanner: RecordScanner | null = null;
  #lineEnd: LineEnd = 'CRLF';
  #columns = 0;
  #numero = 0;

  constructor(sink: RecordSink, invalid: InvalidText) {
    this.#sink = sink;
    this.#invalid = invalid;
  }

  push(chunk: Buffer): void {
    let from = 0;
    if (this.#carry.length > 0 && chunk.length > JOINED_BYTES) {
      this.#read(Buffer.concat([this.#carry, chunk.subarray(0, JOINED_BYTES)]), false);
      from = JOINED_BYTES;
      if (this.#carry.length <= from) {
        from -= this.#carry.length;
        this.#carry = EMPTY;
      }
    }
    const rest = chunk.subarray(from);
    this.#read(this.#carry.length === 0 ? rest : Buffer.concat([this.#carry, rest]), false);
  }

  /** Reads what the last line end left over. Throws when there was no header at all. */
  end(): void {
    this.#read(this.#carry, true);
    if (this.#scanner === null) throw this.#invalid('COLUMNAS', 'el archivo no tiene encabezado');
  }

  #read(buffer: Buffer, final: boolean): void {
    let at = 0;
    if (this.#scanner === null) {
      at = this.#readHeader(buffer, final);
      if (at === NEEDS_MORE) {
        this.#keep(buffer, 0);
        return;
      }
    }
    const scanner = this.#scanner;
    if (scanner === null) return;
    while (at < buffer.length) {
      const short = this.#sink.shortcut?.(buffer, at, this.#lineEnd) ?? NEEDS_MORE;
      if (short !== NEEDS_MORE) {
        this.#numero++;
        at = short;
        continue;
      }
      const next = scanner.scan(buffer, at, final);
      if (next === NEEDS_MORE) break;
      if (!isBlank(buffer, scanner)) {
        this.#numero++;
        if (scanner.count !== this.#columns) {
          throw this.#invalid(
            'FILA',
            `el registro ${this.#numero} tiene ${scanner.count > MAX_COLUMNS ? 'demasiados' : scanner.count} campos y el encabezado ${this.#columns}`,
          );
        }
        this.#sink.record(buffer, scanner, this.#numero);
      }
      at = next;
    }
    this.#keep(buffer, at);
  }

  #readHeader(buffer: Buffer, final: boolean): number {
    const feed = buffer.indexOf(0x0a);
    if (feed === -1 && !final) return NEEDS_MORE;
    if (buffer.length === 0) return 0;
    const lineEnd: LineEnd = feed > 0 && buffer[feed - 1] === 0x0d ? 'CRLF' : 'LF';
    const end = feed === -1 ? buffer.length : feed - (lineEnd === 'CRLF' ? 1 : 0);
    const names = buffer
      .toString('utf8', 0, end)
      .replace(/^\uFEFF/, '')
      .split('~')
      .map((name) => name.trim().replace(/^\|(.*)\|$/, '$1'));
    if (names.length > MAX_COLUMNS) throw this.#invalid('COLUMNAS', `el encabezado tiene ${names.length} columnas`);
    this.#sink.header(names);
    this.#columns = names.length;
    this.#lineEnd = lineEnd;
    this.#scanner = new RecordScanner(lineEnd);
    return feed === -1 ? buffer.length : feed + 1;
  }

  #keep(buffer: Buffer, from: number): void {
    if (buffer.length - from > MAX_RECORD_BYTES) {
      throw this.#invalid(
        this.#scanner === null ? 'COLUMNAS' : 'FILA',
        `el registro ${this.#numero + 1} pasa de ${MAX_RECORD_BYTES} bytes sin terminar`,
      );
    }
    this.#carry = from === buffer.length ? EMPTY : Buffer.from(buffer.subarray(from));
  }
}

const EMPTY = Buffer.alloc(0);

/** A line without anything in it, or only with the line ends that some writers leave at the end of the file. */
function isBlank(buffer: Buffer, fields: RecordScanner): boolean {
  if (fields.count !== 1) return false;
  const end = fields.ends[0] as number;
  for (let i = fields.starts[0] as number; i < end; i++) {
    if (buffer[i] !== 0x0d && buffer[i] !== 0x0a) return false;
  }
  return true;
}

/**
 * The columns of the SAT's metadata file in the order in which we write them, in lower case; where a column has been
 * seen under more than one name, all of them (phpcfdi/sat-ws-descarga-masiva, src/PackageReader and its fixtures).
 */
export const METADATA_COLUMNS: readonly (readonly string[])[] = [
  ['uuid'],
  ['rfcemisor'],
  ['nombreemisor'],
  ['rfcreceptor'],
  ['nombrereceptor'],
  ['rfcpac', 'paccertifico'],
  ['fechaemision'],
  ['fechacertificacionsat'],
  ['monto'],
  ['efectocomprobante'],
  ['estatus'],
  ['fechacancelacion'],
];

/** Positions in {@link METADATA_COLUMNS} of the columns that are more than text. */
export const UUID = 0;
const RFC_EMISOR = 1;
const RFC_RECEPTOR = 3;
export const FECHA_EMISION = 6;
export const FECHA_CERTIFICACION = 7;
export const MONTO = 8;
export const EFECTO = 9;
export const ESTATUS = 10;
export const FECHA_CANCELACION = 11;

/** Column of the counterparty's RFC in the metadata of this type. */
export const rfcColumnOf = (tipo: TipoDescarga) => (tipo === 'recibidos' ? RFC_EMISOR : RFC_RECEPTOR);

/** The columns of the file of third parties that a CFDI was issued on account of. */
export const TERCEROS_COLUMNS: readonly (readonly string[])[] = [
  ['uuid'],
  ['rfcacuentaterceros'],
  ['nombreacuentaterceros'],
];

export interface ColumnPlaces {
  /** For each known column, the index of its field in a record. */
  readonly places: Int32Array;
  /** Names in the header that no known column has, as written. */
  readonly extra: readonly string[];
}

/**
 * Finds the known columns in a header, whatever their order and letter case. Throws COLUMNAS when one is missing or
 * there twice, SIN_METADATA when even the first one, which names the CFDI, is missing: then the text is about something
 * else.
 */
export function placeColumns(
  names: readonly string[],
  known: readonly (readonly string[])[],
  invalid: InvalidText,
): ColumnPlaces {
  const lower = names.map((name) => name.toLowerCase());
  if (!known[0]?.some((alias) => lower.includes(alias)))
    throw invalid('SIN_METADATA', `falta la columna ${known[0]?.[0]}`);
  const places = known.map((aliases) => {
    const found = lower.flatMap((name, index) => (aliases.includes(name) ? [index] : []));
    const [place] = found;
    if (place === undefined) throw invalid('COLUMNAS', `falta la columna ${aliases[0]}`);
    if (found.length > 1) throw invalid('COLUMNAS', `la columna ${aliases[0]} está ${found.length} veces`);
    return place;
  });
  const extra = names.filter((_, index) => !places.includes(index));
  return { places: Int32Array.from(places), extra };
}

/** More columns than any file of the SAT has had; a header beyond it is not a metadata file. */
const MAX_COLUMNS = 64;

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
