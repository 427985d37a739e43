import type { EntryWritten, ZipWriter } from '../assemble/zip-writer.ts';
import { type Formato, Incomplete, type Layout } from './columns.ts';
import { ndjsonOf } from './ndjson.ts';
import { writeXlsx } from './xlsx.ts';

export interface RowsWritten {
  readonly entries: readonly EntryWritten[];
  /** How many values of each column are not all that the SAT gave. */
  readonly incomplete: Readonly<Record<string, number>>;
}

/**
 * Writes chunks of whole rows of CSV, without a header, as a file of this name in this format. Same rows and level, same
 * bytes; memory does not grow with them. A format that compresses by itself is only stored. `release` may get chunks that
 * are read no more.
 */
export async function writeRows(
  writer: ZipWriter,
  file: { readonly name: string; readonly formato: Formato; readonly layout: Layout },
  rows: AsyncIterable<Buffer>,
  level: number,
  release?: (chunk: Buffer) => void,
): Promise<RowsWritten> {
  const { name, formato, layout } = file;
  const incomplete = new Incomplete(layout);
  const entries = await write();
  return { entries, incomplete: incomplete.total };

  async function write(): Promise<EntryWritten[]> {
    const nombre = `${name}.${formato}`;
    switch (formato) {
      case 'csv':
        return [await writer.add(nombre, withHeader(layout, rows), release)];
      case 'ndjson':
        return [await writer.add(nombre, ndjsonOf(rows, layout, incomplete))];
      case 'parquet': {
        const { parquetOf } = await import('./parquet.ts');
        return [await writer.addStored(nombre, parquetOf(rows, layout, incomplete, level))];
      }
      case 'xlsx':
        return writeXlsx(writer, rows, file, incomplete, { level });
    }
  }
}

async function* withHeader({ fields }: Layout, rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(`${fields.map(({ nombre }) => nombre).join(',')}\r\n`);
  yield* rows;
}
