import { ByteWriter, type SchemaElement } from 'hyparquet-writer';
import type { CsvField } from './byte-sink.ts';

/** Rows of a page at most. A page is in memory until it is written. */
export const MAX_ROWS = 20_000;

const QUOTE = 0x22;
const BITS_BYTES = MAX_ROWS / 8;
/** Values begin there: what goes before them, a length of 4 bytes, a varint and the bits, has room and ends there. */
const VALUES_AT = 4 + 5 + BITS_BYTES;

interface Statistics {
  readonly null_count: bigint;
  readonly min_value?: bigint;
  readonly max_value?: bigint;
}

/** The one data page of a column in a row group (parquet-format, "Encodings"): definition levels, then plain values. */
export class Page {
  readonly name: string;
  readonly type: NonNullable<SchemaElement['type']>;
  readonly isOptional: boolean;
  count = 0;
  #nulls = 0;
  #least: bigint | null = null;
  #greatest: bigint | null = null;
  /** One for each row: its definition level, or the value itself when the page is of booleans. */
  readonly #bits = Buffer.alloc(BITS_BYTES);
  #values = Buffer.allocUnsafe(65_536);
  #at = VALUES_AT;

  constructor({ name, type, repetition_type }: SchemaElement) {
    if (type === undefined) throw new Error(`column ${name} has no type`);
    this.name = name;
    this.type = type;
    this.isOptional = repetition_type === 'OPTIONAL';
  }

  clear(): void {
    this.count = 0;
    this.#nulls = 0;
    this.#least = null;
    this.#greatest = null;
    this.#bits.fill(0);
    this.#at = VALUES_AT;
  }

  addNull(): void {
    this.#nulls++;
    this.addBit(false);
  }

  addBit(bit: boolean): void {
    if (bit) this.#bits[this.count >> 3] = (this.#bits[this.count >> 3] as number) | (1 << (this.count & 7));
    this.count++;
  }

  /** Of a doubled quotation mark one is left out. */
  addText({ source, start, end, doubled }: CsvField): void {
    this.#reserve(4 + end - start);
    const out = this.#values;
    let at = this.#at + 4;
    for (let i = start; i < end; i++) {
      const byte = source[i] as number;
      out[at++] = byte;
      if (byte === QUOTE && doubled) i++;
    }
    out.writeUInt32LE(at - this.#at - 4, this.#at);
    this.#at = at;
    this.addBit(true);
  }

  addInteger(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#values.writeBigInt64LE(value, this.#at);
    if (this.#least === null || value < this.#least) this.#least = value;
    if (this.#greatest === null || value > this.#greatest) this.#greatest = value;
    this.addBit(true);
  }

  /** Of text in no order the least and the greatest tell nothing, and the footer would hold them all. */
  get statistics(): Statistics {
    const nulls = { null_count: BigInt(this.#nulls) };
    if (this.#least === null || this.#greatest === null) return nulls;
    return { ...nulls, min_value: this.#least, max_value: this.#greatest };
  }

  /** The page as it is before it is compressed, until something is added or cleared. */
  bytes(): Buffer {
    const bits = this.#bits.subarray(0, Math.ceil(this.count / 8));
    if (this.type === 'BOOLEAN') return bits;
    if (!this.isOptional) return this.#values.subarray(VALUES_AT, this.#at);
    const levels = new ByteWriter();
    // One run of bits, as many groups of 8 as they take.
    levels.appendVarInt((bits.length << 1) | 1);
    levels.appendBytes(bits);
    const from = VALUES_AT - levels.index;
    this.#values.set(levels.getBytes(), from);
    this.#values.writeUInt32LE(levels.index, from - 4);
    return this.#values.subarray(from - 4, this.#at);
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#values.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#values.length, this.#at + count));
    this.#values.copy(larger, 0, 0, this.#at);
    this.#values = larger;
  }
}

/** Bytes are those of the page before it is compressed and after. */
interface PageSizes {
  readonly count: number;
  readonly bytes: number;
  readonly compressedBytes: number;
}

/** Writes `PageHeader` of parquet.thrift in the compact protocol of Thrift; all of its numbers are of i32. */
export function writePageHeader(writer: ByteWriter, { count, bytes, compressedBytes }: PageSizes): void {
  const [I32, STRUCT_AFTER_ONE, STOP] = [0x15, 0x2c, 0];
  const [DATA_PAGE, PLAIN, RLE] = [0, 0, 3];
  const putNumbers = (...numbers: readonly number[]) => {
    for (const each of numbers) {
      writer.appendUint8(I32);
      // Numbers that may be negative are interleaved: one that is not is doubled.
      writer.appendVarInt(each << 1);
    }
  };
  putNumbers(DATA_PAGE, bytes, compressedBytes);
  writer.appendUint8(STRUCT_AFTER_ONE);
  putNumbers(count, PLAIN, RLE, RLE);
  writer.appendUint8(STOP);
  writer.appendUint8(STOP);
}
