import type { ZipEntry } from './read-directory.ts';

const FIRST_CAPACITY = 1_024;
const NAME_BYTES = 48;
/** Numbers of an entry: offset, compressed bytes, bytes, CRC-32, method, start and end of its name. */
const FIELDS = 7;

/**
 * Entries of a ZIP in the order of their data, as numbers and bytes: 200,000 of them as objects are more memory than the
 * rest of an assembly.
 */
export class MemberList {
  length = 0;
  #fields = new Float64Array(FIELDS * FIRST_CAPACITY);
  #names: Buffer = Buffer.alloc(NAME_BYTES * FIRST_CAPACITY);
  #nameEnd = 0;
  #lastOffset = 0;
  /** Places in the order of their data; null while that is the order in which they were added. */
  #order: Uint32Array | null = null;
  #isOrdered = true;

  /** Adds an entry that is not encrypted. */
  add({ name, offset, compressedBytes, bytes, crc32, method }: ZipEntry): void {
    const start = this.#nameEnd;
    const end = start + Buffer.byteLength(name);
    if ((this.length + 1) * FIELDS > this.#fields.length) {
      const fields = new Float64Array(2 * this.#fields.length);
      fields.set(this.#fields);
      this.#fields = fields;
    }
    if (end > this.#names.length) this.#names = Buffer.concat([this.#names], Math.max(end, 2 * this.#names.length));
    this.#names.write(name, start);
    this.#nameEnd = end;
    this.#fields.set([offset, compressedBytes, bytes, crc32, method, start, end], this.length * FIELDS);
    if (offset < this.#lastOffset) this.#isOrdered = false;
    this.#lastOffset = offset;
    this.length++;
  }

  /** Orders the entries by their data, once all are added. */
  order(): void {
    if (this.#isOrdered) return;
    const offsetOf = (place: number) => this.#fields[place * FIELDS] as number;
    this.#order = Uint32Array.from({ length: this.length }, (_, place) => place);
    this.#order.sort((a, b) => offsetOf(a) - offsetOf(b));
  }

  at(index: number): ZipEntry {
    const from = (this.#order?.[index] ?? index) * FIELDS;
    const fields = this.#fields.subarray(from, from + FIELDS) as unknown as readonly number[];
    const [offset = 0, compressedBytes = 0, bytes = 0, crc32 = 0, method = 0, start, end] = fields;
    const name = this.#names.toString('utf8', start, end);
    return { name, offset, compressedBytes, bytes, crc32, method, isEncrypted: false };
  }
}
