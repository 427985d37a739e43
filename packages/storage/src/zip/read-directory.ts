import { buffer as readAll } from 'node:stream/consumers';
import { PaqueteSatInvalido } from '@acuse/core';
import {
  type ExtraField,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  parseExtraFields,
  RandomAccessReader,
  validateFileName,
  type ZipFile,
} from 'yauzl';
import type { ObjectStat, ObjectStore } from '../object-store.ts';

export interface ZipEntry {
  readonly name: string;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** Offset of its local header. */
  readonly offset: number;
}

export interface ZipDirectory {
  readonly stat: ObjectStat;
  /** Entries in their order, by one ranged read at most. Throws `PaqueteSatInvalido`; errors of the storage as they are. */
  entries(): AsyncGenerator<ZipEntry, void, undefined>;
  /** Offset of the first byte of the data of an entry, by one ranged read. Throws `PaqueteSatInvalido`. */
  locate(entry: ZipEntry): Promise<number>;
}

/**
 * Opens the central directory of a stored ZIP, without fetching the rest of it. Throws `PaqueteSatInvalido` when there
 * is no object, no directory to be read, or it has more than `maxEntries`; so does the reading of its entries when a
 * name leads out of a folder. Memory does not grow with the entries.
 */
export async function readDirectory(
  store: ObjectStore,
  key: string,
  maxEntries: number,
  signal: AbortSignal,
): Promise<ZipDirectory> {
  const stat = await store.stat(key, signal, true);
  if (stat === null) throw new PaqueteSatInvalido('AUSENTE', key, 'no está en el almacén');
  const reader = new RangeReader(store, key, stat, signal);
  const zip = await openZip(reader, key, stat);
  if (zip.entryCount > maxEntries) {
    throw new PaqueteSatInvalido(
      'DEMASIADO_GRANDE',
      key,
      `tiene ${zip.entryCount} archivos y se admiten ${maxEntries}`,
    );
  }
  return {
    stat,
    entries: () => entriesOf(reader, key, zip),
    async locate(entry) {
      const header = await reader.bytes(entry.offset, entry.offset + LOCAL_BYTES);
      const isPastEnd = entry.offset + LOCAL_BYTES + entry.compressedBytes > stat.bytes;
      return entry.offset + localHeaderBytes(header, entry, key, isPastEnd);
    },
  };
}

async function openZip(reader: RangeReader, key: string, stat: ObjectStat): Promise<ZipFile> {
  try {
    const options = { autoClose: false, lazyEntries: true };
    return await fromRandomAccessReaderPromise(reader, stat.bytes, options);
  } catch (error) {
    if (reader.storageError !== undefined) throw reader.storageError;
    const start = await reader.bytes(0, Math.min(2, stat.bytes));
    const motivo = start.toString('latin1') === 'PK' ? 'TRUNCADO' : 'NO_ES_ZIP';
    throw new PaqueteSatInvalido(motivo, key, `${stat.bytes} bytes sin un directorio de ZIP que valga`, error);
  }
}

/** Bytes of a local header before the name of its entry (PKWARE APPNOTE 6.3, 4.3.7). */
export const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;

/** Bytes from the start of a local header to the data. Throws `PaqueteSatInvalido` when there is no such header. */
export function localHeaderBytes(header: Buffer, { name }: ZipEntry, key: string, isPastEnd: boolean): number {
  if (isPastEnd || header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) {
    const motivo = isPastEnd || header.length < LOCAL_BYTES ? 'TRUNCADO' : 'NO_ES_ZIP';
    throw new PaqueteSatInvalido(motivo, key, `${name} no está donde dice el directorio`);
  }
  return LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
}

/** Bytes of a record of the directory before its name (APPNOTE 4.3.12). */
export const RECORD_BYTES = 46;
const RECORD_SIGNATURE = 0x02014b50;

async function* entriesOf(reader: RangeReader, key: string, zip: ZipFile): AsyncGenerator<ZipEntry, void, undefined> {
  // Not in the types of yauzl: the offset of the directory before its first entry is read.
  const { readEntryCursor } = zip as unknown as { readonly readEntryCursor: number };
  let left = zip.entryCount;
  if (left === 0) return;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of reader.from(readEntryCursor)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; left > 0; left--) {
      const end = recordEnd(rest, at, key);
      if (end > rest.length) break;
      yield entryIn(rest.subarray(at, end), key);
      at = end;
    }
    if (left === 0) return;
    rest = rest.subarray(at);
  }
  throw new PaqueteSatInvalido('TRUNCADO', key, 'su directorio termina antes de tiempo');
}

/** Offset after the record at `at`, infinity when the bytes end before it is known. */
function recordEnd(bytes: Buffer, at: number, key: string): number {
  if (at + RECORD_BYTES > bytes.length) return Number.POSITIVE_INFINITY;
  if (bytes.readUInt32LE(at) !== RECORD_SIGNATURE) throw unreadable(key);
  return at + RECORD_BYTES + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
}

function entryIn(record: Buffer, key: string): ZipEntry {
  const flags = record.readUInt16LE(8);
  const nameEnd = RECORD_BYTES + record.readUInt16LE(28);
  const extra = record.subarray(nameEnd, nameEnd + record.readUInt16LE(30));
  const [bytes, compressedBytes, offset] = sizesIn(record, extra, key);
  const method = record.readUInt16LE(10);
  const isEncrypted = (flags & 1) !== 0;
  const fields = extra.length === 0 ? [] : fieldsIn(extra, key);
  const name = getFileNameLowLevel(flags, record.subarray(RECORD_BYTES, nameEnd), fields, true);
  const wrong = validateFileName(name);
  if (wrong !== null) throw unreadable(key, new Error(wrong));
  if ((flags & STRONG_ENCRYPTION) !== 0) throw unreadable(key, new Error('strong encryption'));
  if (method === 0 && !isEncrypted && bytes !== compressedBytes) throw unreadable(key, new Error(`size of ${name}`));
  return { name, crc32: record.readUInt32LE(16), compressedBytes, bytes, method, isEncrypted, offset };
}

const STRONG_ENCRYPTION = 0x40;
const ZIP64 = 1;
const IN_ZIP64 = 0xffff_ffff;

/** Size, compressed size and offset of a record; those that 32 bits do not hold stand in its extra field. */
function sizesIn(record: Buffer, extra: Buffer, key: string): readonly [number, number, number] {
  const sizes = [record.readUInt32LE(24), record.readUInt32LE(20), record.readUInt32LE(42)] as [number, number, number];
  if (!sizes.includes(IN_ZIP64)) return sizes;
  const data = fieldsIn(extra, key).find(({ id }) => id === ZIP64)?.data ?? Buffer.alloc(0);
  let at = 0;
  return sizes.map((size) => {
    if (size !== IN_ZIP64) return size;
    if (at + 8 > data.length) throw unreadable(key);
    at += 8;
    return Number(data.readBigUInt64LE(at - 8));
  }) as [number, number, number];
}

function fieldsIn(extra: Buffer, key: string): ExtraField[] {
  try {
    return parseExtraFields(extra);
  } catch (error) {
    throw unreadable(key, error);
  }
}

const unreadable = (key: string, cause?: unknown) =>
  new PaqueteSatInvalido('NO_ES_ZIP', key, 'su directorio no se puede leer', cause);

/**
 * Read at once from the end of the object: the largest comment a ZIP may have, and the directories of ordinary ones.
 * Bytes.
 */
const TAIL_BYTES = 131_072;

/**
 * The random access that yauzl wants, made of ranged reads of a stored object. Holds the end of the object in memory.
 */
class RangeReader extends RandomAccessReader {
  /** Why the storage did not answer, when that is what made a read fail. */
  storageError: unknown;
  readonly #store: ObjectStore;
  readonly #key: string;
  readonly #stat: ObjectStat;
  readonly #signal: AbortSignal;
  #tail: Promise<Buffer> | null = null;

  constructor(store: ObjectStore, key: string, stat: ObjectStat, signal: AbortSignal) {
    super();
    this.#store = store;
    this.#key = key;
    this.#stat = stat;
    this.#signal = signal;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.bytes(position, position + length).then(
      (bytes) => {
        bytes.copy(target, offset);
        callback(null, bytes.length);
      },
      (error: Error) => callback(error),
    );
  }

  /** The bytes from `start` to the end of the object: of its end in memory, or by one read. */
  async *from(start: number): AsyncGenerator<Buffer, void, undefined> {
    const { bytes: size, version } = this.#stat;
    if (start >= size) return;
    if (start >= size - TAIL_BYTES) yield await this.bytes(start, size);
    else yield* this.#store.read(this.#key, version, { start, end: size }, this.#signal) as AsyncIterable<Buffer>;
  }

  /** The bytes from `start` up to but not including `end`, fewer when the object ends before. */
  async bytes(start: number, end: number): Promise<Buffer> {
    const { bytes: size, version } = this.#stat;
    const until = Math.min(end, size);
    if (start >= until) return Buffer.alloc(0);
    try {
      const tailStart = Math.max(0, size - TAIL_BYTES);
      if (start < tailStart) {
        return await readAll(this.#store.read(this.#key, version, { start, end: until }, this.#signal));
      }
      this.#tail ??= readAll(this.#store.read(this.#key, version, { start: tailStart, end: size }, this.#signal));
      return (await this.#tail).subarray(start - tailStart, until - tailStart);
    } catch (error) {
      this.storageError = error;
      throw error;
    }
  }
}
