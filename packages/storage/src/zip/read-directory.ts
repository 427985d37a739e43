import { buffer as readAll } from 'node:stream/consumers';
import { PaqueteSatInvalido } from '@acuse/core';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import type { ObjectStat, ObjectStore } from '../object-store.ts';

export interface ZipEntry {
  readonly name: string;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** Offset of the first byte of its data, asked for when it is needed. Throws `PaqueteSatInvalido`. */
  locate(): Promise<number>;
}

export interface ZipDirectory {
  readonly stat: ObjectStat;
  readonly entries: readonly ZipEntry[];
}

/**
 * Reads the central directory of a stored ZIP by ranged reads, without fetching the rest of it. Throws
 * `PaqueteSatInvalido` when there is no object, no directory to be read, it has more than `maxEntries`, or a name in it leads out of a
 * folder; errors of the storage as they are.
 */
export async function readDirectory(
  store: ObjectStore,
  key: string,
  maxEntries: number,
  signal: AbortSignal,
): Promise<ZipDirectory> {
  const stat = await store.stat(key, signal);
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
  const entries: ZipEntry[] = [];
  try {
    for await (const entry of zip.eachEntry()) entries.push(toEntry(zip, entry, reader, key));
  } catch (error) {
    throw explain(error, reader, key, 'su directorio no se puede leer');
  }
  return { stat, entries };
}

async function openZip(reader: RangeReader, key: string, stat: ObjectStat): Promise<ZipFile> {
  try {
    return await fromRandomAccessReaderPromise(reader, stat.bytes, { autoClose: false, strictFileNames: true });
  } catch (error) {
    if (reader.storageError !== undefined) throw reader.storageError;
    const start = await reader.bytes(0, Math.min(2, stat.bytes));
    const motivo = start.toString('latin1') === 'PK' ? 'TRUNCADO' : 'NO_ES_ZIP';
    throw new PaqueteSatInvalido(motivo, key, `${stat.bytes} bytes sin un directorio de ZIP que valga`, error);
  }
}

function toEntry(zip: ZipFile, entry: Entry, reader: RangeReader, key: string): ZipEntry {
  return {
    name: entry.fileName,
    crc32: entry.crc32,
    compressedBytes: entry.compressedSize,
    bytes: entry.uncompressedSize,
    method: entry.compressionMethod,
    isEncrypted: entry.isEncrypted(),
    async locate() {
      if (entry.relativeOffsetOfLocalHeader + entry.compressedSize > zip.fileSize) reader.isPastEnd = true;
      try {
        const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
        return fileDataStart;
      } catch (error) {
        throw explain(error, reader, key, `${entry.fileName} no está donde dice el directorio`);
      }
    },
  };
}

function explain(error: unknown, reader: RangeReader, key: string, detalle: string): unknown {
  if (reader.storageError !== undefined) return reader.storageError;
  return new PaqueteSatInvalido(reader.isPastEnd ? 'TRUNCADO' : 'NO_ES_ZIP', key, detalle, error);
}

/**
 * Read at once from the end of the object: the largest comment a ZIP may have, and the directories of ordinary ones.
 * Bytes.
 */
const TAIL_BYTES = 131_072;

/**
 * The random access that yauzl wants, made of ranged reads of a stored object. Holds the end of the object in memory.
 */
class RangeReader extends RandomAccessReader {
  /** A read went past the end of the object: the directory of the ZIP points beyond it. */
  isPastEnd = false;
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

  /** The bytes from `start` up to but not including `end`, fewer when the object ends before. */
  async bytes(start: number, end: number): Promise<Buffer> {
    const { bytes: size, version } = this.#stat;
    if (end > size) this.isPastEnd = true;
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
