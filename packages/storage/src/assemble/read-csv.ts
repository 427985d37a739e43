import type { ObjectStore } from '../object-store.ts';
import { readDirectory } from '../zip/read-directory.ts';
import { inflateEntry } from '../zip/sat-package.ts';

const NAME = 'metadata.csv';

/** `metadata.csv` of a ZIP of ours, as `Paquetes.readCsv` says. */
export async function* readCsv(
  store: ObjectStore,
  objectKey: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const { stat, entries } = await readDirectory(store, objectKey, Number.POSITIVE_INFINITY, signal);
  const entry = entries.find(({ name }) => name === NAME);
  if (entry === undefined) throw new Error(`there is no ${NAME} in ${objectKey}`);
  const { bytes, crc32, compressedBytes, method } = entry;
  const start = await entry.locate();
  const data = store.read(objectKey, stat.version, { start, end: start + compressedBytes }, signal);
  const checked = { objectKey, name: NAME, bytes, crc32, compressedBytes, method };
  yield* inflateEntry(data, { ...checked, maxRatio: Number.POSITIVE_INFINITY, whole: () => {} });
}
