import { PaqueteSatInvalido } from '@acuse/core';
import type { ObjectStore } from '../object-store.ts';
import { readDirectory, type ZipDirectory } from '../zip/read-directory.ts';
import type { EntryWritten } from './zip-writer.ts';

/** The stored ZIP is not the one that was written. */
export class ZipNoCoincide extends Error {
  constructor(objectKey: string, detalle: string, cause?: unknown) {
    super(`the stored ZIP ${objectKey} is not what was written: ${detalle}`, { cause });
    this.name = 'ZipNoCoincide';
  }
}

/** Reads the directory of the stored ZIP back and compares it with what was written. Throws {@link ZipNoCoincide}. */
export async function verifyZip(
  store: ObjectStore,
  objectKey: string,
  bytes: number,
  written: readonly EntryWritten[],
  signal: AbortSignal,
): Promise<void> {
  const { stat, entries } = await readOwnDirectory(store, objectKey, signal);
  if (stat.bytes !== bytes) throw new ZipNoCoincide(objectKey, `${stat.bytes} bytes instead of ${bytes}`);
  if (entries.length !== written.length) {
    throw new ZipNoCoincide(objectKey, `${entries.length} entries instead of ${written.length}`);
  }
  for (const [index, entry] of written.entries()) {
    const stored = entries[index];
    if (stored?.name !== entry.nombre || stored.bytes !== entry.bytes || stored.crc32 !== entry.crc32) {
      throw new ZipNoCoincide(objectKey, `entry ${index} is not ${entry.nombre}`);
    }
  }
}

/** A ZIP of ours that cannot be read is no fault of the SAT's packages, and must not be taken for one. */
async function readOwnDirectory(store: ObjectStore, objectKey: string, signal: AbortSignal): Promise<ZipDirectory> {
  try {
    return await readDirectory(store, objectKey, Number.POSITIVE_INFINITY, signal);
  } catch (error) {
    if (error instanceof PaqueteSatInvalido) throw new ZipNoCoincide(objectKey, error.motivo, error);
    throw error;
  }
}
