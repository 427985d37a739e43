import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { type Column, DECIMAL_PRECISION, type Incomplete, type Layout, placesOf } from './columns.ts';
import { Amount, CsvRow, readInstant } from './csv-row.ts';
import { MAX_ROWS, Page, writePageHeader } from './parquet-page.ts';

/** Bytes of CSV after which a row group ends, however few rows it has. */
const GROUP_BYTES = 8 * 1_048_576;

const compress = promisify(gzip);

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema'];
type Element = Schema[number];
type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];

function physicalOf(column: Column): Omit<Element, 'name'> {
  const decimal = { precision: DECIMAL_PRECISION, scale: placesOf(column) };
  switch (column.tipo) {
    case 'texto':
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
    case 'fecha_hora':
      // Without a zone, or readers would take it for UTC.
      return { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } };
    case 'decimal':
      return { type: 'INT64', converted_type: 'DECIMAL', ...decimal, logical_type: { type: 'DECIMAL', ...decimal } };
    case 'entero':
      return { type: 'INT64' };
    case 'booleano':
      return { type: 'BOOLEAN' };
  }
}

const schemaOf = ({ columns }: Layout): Schema => [
  { name: 'cfdi', num_children: columns.length },
  ...columns.map(
    (column): Element => ({
      ...physicalOf(column),
      name: column.nombre,
      // What the SAT gives as a date may be none.
      repetition_type: column.vacio === null && column.tipo !== 'fecha_hora' ? 'REQUIRED' : 'OPTIONAL',
    }),
  ),
];

/** Hands out the written bytes, group by group. */
class GroupWriter extends ByteWriter {
  take(): Buffer {
    const bytes = Buffer.from(this.getBytes());
    this.index = 0;
    return bytes;
  }
}

/**
 * Turns chunks of rows of CSV into the bytes of a Parquet file, one bounded row group after another, its
 * pages compressed by gzip at this level. The library writes schema and footer. Its pages want an object of JavaScript
 * for each value, and the garbage of millions of those is more memory than a worker may have: ours are of bytes.
 */
export async function* parquetOf(
  rows: AsyncIterable<Buffer>,
  layout: Layout,
  incomplete: Incomplete,
  level: number,
): AsyncGenerator<Buffer, void, undefined> {
  const writer = new GroupWriter();
  const schema = schemaOf(layout);
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'acuse' });
  const group = new RowGroup(layout, schema, incomplete);
  async function writeGroup(): Promise<Buffer> {
    const offset = writer.offset;
    const pages = group.pages.map((page) => page.bytes());
    const compressed = await Promise.all(pages.map((bytes) => compress(bytes, { level, chunkSize: 65_536 })));
    const columns = group.pages.map((page, column) =>
      writeChunk(writer, page, { bytes: pages[column]?.length ?? 0, compressed: compressed[column] as Buffer }),
    );
    parquet.row_groups.push({
      columns,
      num_rows: BigInt(group.rows),
      total_byte_size: columns.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
      total_compressed_size: BigInt(writer.offset - offset),
    });
    parquet.num_rows += BigInt(group.rows);
    group.clear();
    return writer.take();
  }
  for await (const chunk of rows) {
    for (let at = 0; at < chunk.length; ) {
      at = group.add(chunk, at);
      if (group.isFull) yield await writeGroup();
    }
  }
  if (group.rows !== 0) yield await writeGroup();
  parquet.finish();
  yield writer.take();
}

/** Writes the page of a column and says where it is. */
function writeChunk(
  writer: GroupWriter,
  { name, type, count, statistics }: Page,
  { bytes, compressed }: { bytes: number; compressed: Buffer },
): ColumnChunk {
  const offset = writer.offset;
  writePageHeader(writer, { count, bytes, compressedBytes: compressed.length });
  const headerBytes = writer.offset - offset;
  writer.appendBytes(compressed);
  return {
    file_offset: BigInt(offset),
    meta_data: {
      type,
      codec: 'GZIP',
      encodings: ['PLAIN', 'RLE'],
      path_in_schema: [name],
      num_values: BigInt(count),
      total_uncompressed_size: BigInt(headerBytes + bytes),
      total_compressed_size: BigInt(headerBytes + compressed.length),
      data_page_offset: BigInt(offset),
      statistics,
    },
  };
}

/** The rows of a group, column by column, as the bytes that they will be. */
class RowGroup {
  readonly pages: readonly Page[];
  rows = 0;
  #csvBytes = 0;
  readonly #columns: Layout['columns'];
  readonly #places: readonly number[];
  readonly #row: CsvRow;
  readonly #amount = new Amount();
  readonly #incomplete: Incomplete;

  constructor({ fields, columns }: Layout, schema: Schema, incomplete: Incomplete) {
    this.pages = columns.map((_, column) => new Page(schema[column + 1] as Element));
    this.#columns = columns;
    this.#places = columns.map(placesOf);
    this.#row = new CsvRow(fields.length);
    this.#incomplete = incomplete;
  }

  get isFull(): boolean {
    return this.rows === MAX_ROWS || this.#csvBytes >= GROUP_BYTES;
  }

  clear(): void {
    for (const page of this.pages) page.clear();
    this.rows = 0;
    this.#csvBytes = 0;
  }

  /** Takes the row of the chunk at `from`; returns the offset after it. */
  add(chunk: Buffer, from: number): number {
    const next = this.#row.read(chunk, from);
    for (let column = 0; column < this.#columns.length; column++) this.#addValue(chunk, column);
    this.rows++;
    this.#csvBytes += next - from;
    return next;
  }

  #addValue(chunk: Buffer, column: number): void {
    const page = this.pages[column] as Page;
    const { tipo, field } = this.#columns[column] as Layout['columns'][number];
    if (tipo === 'booleano') {
      page.addBit(this.#row.isVigente(chunk));
    } else if (this.#row.isEmpty(field) && page.isOptional) {
      page.addNull();
    } else if (tipo === 'texto') {
      page.addText(this.#row.field(chunk, field));
    } else {
      const value = tipo === 'fecha_hora' ? this.#instantOf(chunk, field) : this.#amountOf(chunk, field, column);
      if (value === null) {
        this.#incomplete.add(column);
        page.addNull();
      } else {
        page.addInteger(value);
      }
    }
  }

  #amountOf(chunk: Buffer, field: number, column: number): bigint | null {
    const { starts, ends } = this.#row;
    const isAmount = this.#amount.read(chunk, starts[field] as number, ends[field] as number, this.#places[column]);
    return isAmount ? this.#amount.scaled(chunk) : null;
  }

  #instantOf(chunk: Buffer, field: number): bigint | null {
    const seconds = readInstant(chunk, this.#row.starts[field] as number, this.#row.ends[field] as number);
    return Number.isNaN(seconds) ? null : BigInt(seconds * 1_000);
  }
}
