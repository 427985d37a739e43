import { isUtf8 } from 'node:buffer';
import type { Filtros, Periodo, RowObserver } from '@acuse/core';
import { type BufferPool, CHUNK_BYTES } from '../buffer-pool.ts';
import {
  CANCELADO,
  COMMA,
  compareInstant,
  NOT_VALID,
  PlainRecord,
  toCsv,
  VIGENTE,
  writeInstant,
  writePlain,
  writeQuoted,
  writeUuid,
} from './csv-bytes.ts';
import {
  type ColumnPlaces,
  EFECTO,
  ESTATUS,
  FECHA_CANCELACION,
  FECHA_CERTIFICACION,
  FECHA_EMISION,
  type InvalidText,
  type LineEnd,
  METADATA_COLUMNS,
  NEEDS_MORE,
  placeColumns,
  RecordReader,
  type RecordScanner,
  type RecordSink,
  UUID,
} from './record-reader.ts';
import type { Resumen } from './resumen.ts';
import type { Terceros } from './terceros.ts';

/** Joins the rows of the metadata to something else by their UUID. */
export interface RowJoin {
  /**
   * Gets each row that is written, from its UUID at `uuid` to `at`, without its line end; `fecha` is the offset of its
   * fecha_emision. May write one more field from `at` on, with its comma, of {@link JOINED_BYTES} at most; returns the
   * offset after it.
   */
  row(out: Buffer, uuid: number, fecha: number, isCancelado: boolean, at: number): number;
  /** Gets the UUID of each row that the period or the filters leave out. */
  leftOut(out: Buffer, uuid: number): void;
}
export const JOINED_BYTES = 64;

interface TransformOptions {
  /** When given, records with a FechaEmision outside of it are left out and counted. */
  readonly recortar: Periodo | null;
  /** When given, other records are left out and counted. */
  readonly filtros: Filtros | null;
  readonly terceros: Terceros;
  readonly invalid: InvalidText;
  /** Where the written records are counted. */
  readonly resumen: Resumen;
  /** Column of the counterparty's RFC. */
  readonly rfcColumn: number;
  /** Observers of the written records. */
  readonly observers: readonly RowObserver[];
  readonly join: RowJoin | null;
  /** Source of the buffers of the rows. */
  readonly buffers: BufferPool;
}

/**
 * Turns a metadata text of the SAT into rows of `metadata.csv` (without the header line), chunk by chunk and byte by
 * byte: no string is made for a row. Bytes that are not UTF-8 come out as U+FFFD.
 */
export class MetadataTransformer implements RecordSink {
  /** Records written. */
  registros = 0;
  /** Records left out because they are outside of the period. */
  recortados = 0;
  /** Records left out because the filters do not let them pass. */
  filtrados = 0;
  /** Columns of the file that `metadata.csv` does not have. */
  extraColumns: readonly string[] = [];

  readonly #reader: RecordReader;
  readonly #terceros: Terceros;
  readonly #invalid: InvalidText;
  readonly #resumen: Resumen;
  readonly #rfcColumn: number;
  readonly #observers: readonly RowObserver[];
  readonly #join: RowJoin | null;
  readonly #buffers: BufferPool;
  readonly #inicio: Buffer | null;
  readonly #fin: Buffer | null;
  readonly #filtros: Filtros | null;
  readonly #rfcs: readonly Buffer[];
  #places: ColumnPlaces['places'] = new Int32Array(0);
  /** The header has the known columns in their usual order and no other. */
  #isUsual = false;
  readonly #plain: PlainRecord;
  #done: Buffer[] = [];
  #out: Buffer;
  #at = 0;

  constructor(options: TransformOptions) {
    this.#reader = new RecordReader(this, options.invalid);
    this.#terceros = options.terceros;
    this.#invalid = options.invalid;
    this.#resumen = options.resumen;
    this.#rfcColumn = options.rfcColumn;
    this.#observers = options.observers;
    this.#join = options.join;
    this.#buffers = options.buffers;
    this.#out = this.#buffers.take();
    this.#plain = new PlainRecord(options.rfcColumn);
    this.#inicio = options.recortar === null ? null : Buffer.from(options.recortar.inicio);
    this.#fin = options.recortar === null ? null : Buffer.from(options.recortar.fin);
    this.#filtros = options.filtros;
    this.#rfcs = (options.filtros?.rfc_contraparte ?? []).map((rfc) => Buffer.from(rfc));
  }

  /** Takes the next bytes of the text; returns the CSV that is ready, in chunks of whole rows. */
  push(chunk: Buffer): Buffer[] {
    this.#reader.push(chunk);
    return this.#take();
  }

  /** Returns the rest of the CSV. Throws when the text was no metadata. */
  end(): Buffer[] {
    this.#reader.end();
    this.#flush();
    return this.#take();
  }

  header(names: readonly string[]): void {
    const { places, extra } = placeColumns(names, METADATA_COLUMNS, this.#invalid);
    this.#places = places;
    this.extraColumns = extra;
    this.#isUsual = names.length === places.length && places.every((place, column) => place === column);
  }

  shortcut(buffer: Buffer, from: number, lineEnd: LineEnd): number {
    if (!this.#isUsual) return NEEDS_MORE;
    const plain = this.#plain;
    const first = this.#at;
    const next = plain.write(buffer, from, lineEnd, this.#out, first);
    if (next === NEEDS_MORE) return NEEDS_MORE;
    if (this.#isOutside(plain.fechaEmision)) {
      this.recortados++;
      this.#join?.leftOut(this.#out, first);
    } else if (!this.#passes(this.#out[plain.efecto] as number, plain.isCancelado, plain.rfc, plain.rfcEnd)) {
      this.filtrados++;
      this.#join?.leftOut(this.#out, first);
    } else {
      this.#resumen.add(this.#out, plain.fechaEmision, this.#out[plain.efecto] as number, plain.isCancelado);
      this.#at = this.#writeTercero(first, plain.end);
      for (const observer of this.#observers) observer.see(this.#out, first, plain.rfc, plain.rfcEnd);
      this.#joinRow(first, plain.fechaEmision, plain.isCancelado);
      this.registros++;
    }
    return next;
  }

  record(buffer: Buffer, fields: RecordScanner, numero: number): void {
    const { starts, ends, quotes } = fields;
    const places = this.#places;
    const columns = places.length;
    const first = this.#reserve(starts[0] as number, ends[fields.count - 1] as number);
    const out = this.#out;
    let at = first;
    let fecha = first;
    let [rfc, rfcEnd] = [first, first];
    for (let column = 0; column < columns; column++) {
      const place = places[column] as number;
      const start = starts[place] as number;
      const end = ends[place] as number;
      if (column !== 0) out[at++] = COMMA;
      let next: number;
      if (column === UUID) {
        next = writeUuid(buffer, start, end, out, at);
      } else if (column === FECHA_EMISION) {
        next = writeInstant(buffer, start, end, out, at);
        if (next !== NOT_VALID && this.#isOutside(at)) {
          this.recortados++;
          this.#join?.leftOut(out, first);
          return;
        }
        fecha = at;
      } else if (column === FECHA_CERTIFICACION || column === FECHA_CANCELACION) {
        next = start === end ? at : writeInstant(buffer, start, end, out, at);
      } else if (column === ESTATUS) {
        next = writeEstatus(buffer, start, end, out, at);
      } else if (quotes[place] === 0) {
        next = writePlain(buffer, start, end, out, at);
      } else {
        next = writeQuoted(buffer, start, end, out, at);
      }
      if (next === NOT_VALID) throw this.#notValid(numero, column);
      if (column === this.#rfcColumn) {
        rfc = at;
        rfcEnd = next;
      }
      at = next;
    }
    const [efecto, isCancelado] = this.#kindOf(buffer, fields);
    if (!this.#passes(efecto, isCancelado, rfc, rfcEnd)) {
      this.filtrados++;
      this.#join?.leftOut(out, first);
      return;
    }
    this.#resumen.add(out, fecha, efecto, isCancelado);
    this.#at = this.#writeTercero(first, at);
    for (const observer of this.#observers) observer.see(this.#out, first, rfc, rfcEnd);
    this.#joinRow(first, fecha, isCancelado);
    this.registros++;
  }

  /** First letter of EfectoComprobante (0 when it is empty), and whether Estatus says cancelled. */
  #kindOf(buffer: Buffer, { starts, ends }: RecordScanner): readonly [efecto: number, isCancelado: boolean] {
    const [efecto, estatus] = [this.#places[EFECTO] as number, this.#places[ESTATUS] as number];
    const start = starts[efecto] as number;
    const first = start === ends[efecto] ? 0 : (buffer[start] as number);
    return [first, buffer[starts[estatus] as number] === 0x30];
  }

  /** Whether the filters let the record in `out` pass, whose counterparty stands from `rfc` to `rfcEnd`. */
  #passes(efecto: number, isCancelado: boolean, rfc: number, rfcEnd: number): boolean {
    if (this.#filtros === null) return true;
    const { estado_comprobante: estado, tipo_comprobante: tipo } = this.#filtros;
    if (estado !== undefined && (estado === 'cancelado') !== isCancelado) return false;
    if (tipo !== undefined && efecto !== tipo.charCodeAt(0)) return false;
    const own = this.#out.subarray(rfc, rfcEnd);
    return this.#rfcs.length === 0 || this.#rfcs.some((each) => each.equals(own));
  }

  #isOutside(at: number): boolean {
    if (this.#inicio === null || this.#fin === null) return false;
    return compareInstant(this.#out, at, this.#inicio) < 0 || compareInstant(this.#out, at, this.#fin) > 0;
  }

  #writeTercero(first: number, from: number): number {
    let at = from;
    let out = this.#out;
    const tercero = this.#terceros.isEmpty ? undefined : this.#terceros.find(out, first);
    if (tercero !== undefined || this.#join !== null) {
      const terceroBytes = tercero === undefined ? 0 : 2 * (tercero.rfc.length + tercero.nombre.length);
      const needed = terceroBytes + 16 + JOINED_BYTES;
      if (at + needed > out.length) {
        out = Buffer.concat([out.subarray(0, at)], at + needed + CHUNK_BYTES);
        this.#out = out;
      }
    }
    out[at++] = COMMA;
    if (tercero !== undefined) at += out.write(toCsv(tercero.rfc), at, 'latin1');
    out[at++] = COMMA;
    if (tercero !== undefined) at += out.write(toCsv(tercero.nombre), at, 'latin1');
    return this.#endRow(at);
  }

  #endRow(at: number): number {
    this.#out[at] = 0x0d;
    this.#out[at + 1] = 0x0a;
    return at + 2;
  }

  /** Observers see a row as it is without the field of the join: its line end is written again behind that. */
  #joinRow(first: number, fecha: number, isCancelado: boolean): void {
    if (this.#join === null) return;
    this.#at = this.#endRow(this.#join.row(this.#out, first, fecha, isCancelado, this.#at - 2));
  }

  /** Makes room for a record of these bytes, were every one of them a quotation mark. */
  #reserve(start: number, end: number): number {
    const needed = 2 * (end - start) + 128;
    if (this.#at + needed > this.#out.length) {
      this.#flush();
      this.#out = needed > CHUNK_BYTES ? Buffer.allocUnsafeSlow(needed) : this.#buffers.take();
    }
    return this.#at;
  }

  #flush(): void {
    if (this.#at === 0) return;
    const ready = this.#out.subarray(0, this.#at);
    this.#done.push(isUtf8(ready) ? ready : Buffer.from(ready.toString('utf8')));
    this.#out = Buffer.alloc(0);
    this.#at = 0;
  }

  #take(): Buffer[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #notValid(numero: number, column: number): Error {
    return this.#invalid(
      'FILA',
      `el registro ${numero} tiene en ${METADATA_COLUMNS[column]?.[0]} un valor que no se entiende`,
    );
  }
}

/** The SAT writes 1 for a CFDI in force and 0 for a cancelled one. */
function writeEstatus(source: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  if (end - start !== 1) return NOT_VALID;
  const word = source[start] === 0x31 ? VIGENTE : source[start] === 0x30 ? CANCELADO : null;
  return word === null ? NOT_VALID : writePlain(word, 0, word.length, out, at);
}
