import { COMMA } from '../metadata/csv-bytes.ts';
import type { ObjectStore } from '../object-store.ts';
import { readDirectory, type ZipEntry } from '../zip/read-directory.ts';
import { inflateEntry } from '../zip/sat-package.ts';

const NAME = 'metadata.csv';

/** `metadata.csv` of a ZIP of ours, as `Paquetes.readCsv` says. */
export async function* readCsv(
  store: ObjectStore,
  objectKey: string,
  signal: AbortSignal,
  withXml = false,
): AsyncGenerator<Buffer, void, undefined> {
  const { stat, entries, locate } = await readDirectory(store, objectKey, Number.POSITIVE_INFINITY, signal);
  let hasXml = false;
  let entry: ZipEntry | null = null;
  for await (const each of entries()) {
    hasXml ||= each.name === 'faltantes.csv';
    if (each.name === NAME) entry = each;
  }
  if (entry === null) throw new Error(`there is no ${NAME} in ${objectKey}`);
  const start = await locate(entry);
  const data = store.read(objectKey, stat.version, { start, end: start + entry.compressedBytes }, signal);
  const csv = inflateEntry(data, { ...entry, objectKey });
  yield* hasXml && !withXml ? withoutLastField(csv) : csv;
}

const [QUOTE, CR] = [0x22, 0x0d];

/** Rows of CSV without their last field, which is never quoted; chunks may end anywhere. */
async function* withoutLastField(csv: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of csv) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const out = Buffer.allocUnsafe(bytes.length);
    let [from, at, comma] = [0, 0, -1];
    let isQuoted = false;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (isQuoted) continue;
      else if (byte === COMMA) comma = i;
      else if (byte === CR && comma >= from) {
        at += bytes.copy(out, at, from, comma);
        from = i;
        comma = -1;
      }
    }
    yield out.subarray(0, at);
    rest = bytes.subarray(from);
  }
  yield rest;
}
