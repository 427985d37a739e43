import type { PaqueteSatInvalido } from '@acuse/core';
import { type LineEnd, MAX_COLUMNS, NEEDS_MORE, RecordScanner } from './record-scanner.ts';

/** Longer than any record can be (a name has at most 300 characters): beyond it the text is no metadata. Bytes. */
const MAX_RECORD_BYTES = 65_536;

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
    this.#read(this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]), false);
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
