import { PaqueteSatInvalido } from '@acuse/core';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import type { ObjectStat, ObjectStore } from '../object-store.ts';
import { RangeReader } from './range-reader.ts';

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
 * `PaqueteSatInvalido` when there is none to be read, it has more than `maxEntries`, or a name in it leads out of a
 * folder; errors of the storage as they are.
 */
export async function readDirectory(
  store: ObjectStore,
  key: string,
  maxEntries: number,
  signal: AbortSignal,
): Promise<ZipDirectory> {
  const stat = await store.stat(key, signal);
  if (stat === null) throw new Error(`there is no object ${key}`);
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
    return await fromRandomAccessReaderPromise(reader, stat.bytes, {
      autoClose: false,
      strictFileNames: true,
    });
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
