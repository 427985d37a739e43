import { createHash } from 'node:crypto';
import { LOCAL_BYTES, RECORD_BYTES } from '../zip/read-directory.ts';

/** An entry of archiver's engine (compress-commons). */
export interface ZipEngineEntry {
  setCrc(crc32: number): void;
  setSize(bytes: number): void;
  setCompressedSize(bytes: number): void;
}

interface SmallEntry {
  /** ASCII. */
  readonly nombre: string;
  readonly bytes: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  /** Offset of its local header. */
  readonly offset: number;
}

/** Bytes of the ZIP64 field with an offset. */
const ZIP64_BYTES = 12;
const IN_ZIP64 = 0xffff_ffff;
/** 2.0 deflates, 4.5 has ZIP64; the upper byte says Unix. */
const [VERSION, VERSION_ZIP64, UNIX] = [20, 45, 0x0300];
const DEFLATED = 8;
/** 1980-01-01 00:00:00 as MS-DOS writes it, and an ordinary file with mode 0644, as all entries have. */
const [DOS_DATE, ATTRIBUTES] = [0x21, 0x81a4_0020];

const PAGE_BYTES = 1_048_576;

/**
 * The directory of a ZIP in the order of its entries. Small deflated entries are kept as the bytes of their records
 * (PKWARE APPNOTE 6.3, 4.3.7 and 4.3.12): archiver's own objects of a million entries are more memory than a worker may
 * have, and it writes each of their fields by a write of its own. Stands in for the array of archiver's engine.
 */
export class CentralRecords {
  /** Entries, as archiver counts them. */
  length = 0;
  readonly #write: (bytes: Buffer) => void;
  readonly #parts: (ZipEngineEntry | Buffer)[] = [];
  #page = Buffer.alloc(0);
  #at = 0;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  push(entry: ZipEngineEntry): void {
    this.#close();
    this.#parts.push(entry);
    this.length++;
  }

  /** Writes the directory: records as they are, entries by `render`. */
  forEach(render: (entry: ZipEngineEntry) => void): void {
    this.#close();
    for (const part of this.#parts) {
      if (Buffer.isBuffer(part)) this.#write(part);
      else render(part);
    }
  }

  /** Adds the record of an entry; returns its local header. */
  add({ nombre, bytes, crc32, compressedBytes, offset }: SmallEntry): Buffer {
    const isZip64 = offset >= IN_ZIP64;
    const extraBytes = isZip64 ? ZIP64_BYTES : 0;
    const record = this.#room(RECORD_BYTES + nombre.length + extraBytes);
    const version = isZip64 ? VERSION_ZIP64 : VERSION;
    const header = Buffer.alloc(LOCAL_BYTES + nombre.length);
    header.writeUInt32LE(0x0403_4b50, 0);
    header.writeUInt16LE(VERSION, 4);
    header.writeUInt16LE(DEFLATED, 8);
    header.writeUInt16LE(DOS_DATE, 12);
    header.writeUInt32LE(crc32, 14);
    header.writeUInt32LE(compressedBytes, 18);
    header.writeUInt32LE(bytes, 22);
    header.writeUInt16LE(nombre.length, 26);
    header.write(nombre, LOCAL_BYTES, 'latin1');
    record.writeUInt32LE(0x0201_4b50, 0);
    record.writeUInt16LE(UNIX | version, 4);
    // Both have the same fields from the version on.
    header.copy(record, 6, 4, 30);
    record.writeUInt16LE(version, 6);
    record.writeUInt16LE(extraBytes, 30);
    record.writeUInt32LE(ATTRIBUTES, 38);
    record.writeUInt32LE(isZip64 ? IN_ZIP64 : offset, 42);
    record.write(nombre, RECORD_BYTES, 'latin1');
    if (isZip64) {
      const extra = record.subarray(RECORD_BYTES + nombre.length);
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(ZIP64_BYTES - 4, 2);
      extra.writeBigUInt64LE(BigInt(offset), 4);
    }
    this.length++;
    return header;
  }

  #room(bytes: number): Buffer {
    if (this.#at + bytes > this.#page.length) {
      this.#close();
      this.#page = Buffer.alloc(PAGE_BYTES);
    }
    this.#at += bytes;
    return this.#page.subarray(this.#at - bytes, this.#at);
  }

  #close(): void {
    if (this.#at > 0) this.#parts.push(this.#page.subarray(0, this.#at));
    this.#page = this.#page.subarray(this.#at);
    this.#at = 0;
  }
}

/** SHA-256 over names, sizes and CRC-32 of the entries of a ZIP in their order: memory does not grow with them. */
export class DirectoryDigest {
  readonly #hash = createHash('sha256');
  #count = 0;

  add(nombre: string, bytes: number, crc32: number): void {
    this.#count++;
    this.#hash.update(`${nombre}\0${bytes}\0${crc32}\n`);
  }

  /** Digest of the entries so far, with their number. */
  get hex(): string {
    return `${this.#count}:${this.#hash.copy().digest('hex')}`;
  }
}
