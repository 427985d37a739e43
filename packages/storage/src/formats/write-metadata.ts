import type { EntryWritten, ZipWriter } from '../assemble/zip-writer.ts';
import { CSV_HEADER } from '../metadata/record-reader.ts';
import { type Formato, Incomplete } from './columns.ts';
import { ndjsonOf } from './ndjson.ts';
import { parquetOf } from './parquet.ts';
import { writeXlsx } from './xlsx.ts';

interface MetadataWritten {
  readonly entries: readonly EntryWritten[];
  /** How many values of each column are not all that the SAT gave. */
  readonly incomplete: Readonly<Record<string, number>>;
}

/**
 * Writes chunks of whole rows of `metadata.csv`, without its header, as the metadata of a package in this format. Same
 * rows and level, same bytes; memory does not grow with them. A format that compresses by itself is only stored.
 */
export async function writeMetadata(
  writer: ZipWriter,
  formato: Formato,
  rows: AsyncIterable<Buffer>,
  level: number,
): Promise<MetadataWritten> {
  const incomplete = new Incomplete();
  const entries = await write();
  return { entries, incomplete: incomplete.total };

  async function write(): Promise<EntryWritten[]> {
    switch (formato) {
      case 'csv':
        return [await writer.add('metadata.csv', withHeader(rows))];
      case 'ndjson':
        return [await writer.add('metadata.ndjson', ndjsonOf(rows, incomplete))];
      case 'parquet':
        return [await writer.addStored('metadata.parquet', parquetOf(rows, incomplete, level))];
      case 'xlsx':
        return writeXlsx(writer, rows, incomplete, { level });
    }
  }
}

async function* withHeader(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(CSV_HEADER);
  yield* rows;
}
