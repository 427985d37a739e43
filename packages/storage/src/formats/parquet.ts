import { gzipSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { AMOUNT_DIGITS, COLUMNS, type ColumnType, CSV_COLUMNS, type Incomplete } from './columns.ts';
import { Amount, CsvRow, readInstant } from './csv-row.ts';

/**
 * Rows of a row group at most. What it holds is in memory twice until it is written: of larger ones a worker takes more
 * than it may.
 */
const GROUP_ROWS = 5_000;
/** Bytes of CSV after which a row group ends, however few rows it has. */
const GROUP_BYTES = 8 * 1_048_576;

type Value = string | bigint | boolean | null;
type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema'];
type Element = Schema[number];

const DECIMAL = { precision: AMOUNT_DIGITS.integer + AMOUNT_DIGITS.fraction, scale: AMOUNT_DIGITS.fraction };

const PHYSICAL: Readonly<Record<ColumnType, Omit<Element, 'name'>>> = {
  texto: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  // Without a zone, or readers would take it for UTC.
  fecha_hora: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } },
  decimal: { type: 'INT64', converted_type: 'DECIMAL', ...DECIMAL, logical_type: { type: 'DECIMAL', ...DECIMAL } },
  booleano: { type: 'BOOLEAN' },
};

const SCHEMA: Schema = [
  { name: 'cfdi', num_children: COLUMNS.length },
  ...COLUMNS.map(
    ({ nombre, tipo, vacio }): Element => ({
      ...PHYSICAL[tipo],
      name: nombre,
      // What the SAT gives as a date may be none.
      repetition_type: vacio === null && tipo !== 'fecha_hora' ? 'REQUIRED' : 'OPTIONAL',
    }),
  ),
];

/** Gives out what the library wrote, group by group. */
class GroupWriter extends ByteWriter {
  take(): Buffer {
    const bytes = Buffer.from(this.getBytes());
    this.index = 0;
    return bytes;
  }
}

/**
 * Turns chunks of rows of `metadata.csv` into the bytes of `metadata.parquet`, one bounded row group after another, its
 * pages compressed by gzip at this level.
 */
export async function* parquetOf(
  rows: AsyncIterable<Buffer>,
  incomplete: Incomplete,
  level: number,
): AsyncGenerator<Buffer, void, undefined> {
  const writer = new GroupWriter();
  const parquet = new ParquetWriter({
    ...{ writer, schema: SCHEMA, codec: 'GZIP', createdBy: 'acuse' },
    compressors: { GZIP: (bytes) => gzipSync(bytes, { level, chunkSize: 65_536 }) },
  });
  const row = new CsvRow();
  const values = new RowValues(row, incomplete);
  let group = emptyGroup();
  let bytes = 0;
  function writeGroup(): Buffer {
    parquet.write({
      columnData: COLUMNS.map(({ nombre, tipo }, column) => ({
        ...{ name: nombre, data: group[column] as Value[] },
        // Of text in no order they tell nothing, and the footer would hold them all.
        statistics: tipo !== 'texto',
      })),
      rowGroupSize: GROUP_ROWS,
    });
    group = emptyGroup();
    bytes = 0;
    return writer.take();
  }
  for await (const chunk of rows) {
    for (let at = 0; at < chunk.length; ) {
      const next = row.read(chunk, at);
      values.addTo(group, chunk);
      bytes += next - at;
      at = next;
      if (group[0]?.length === GROUP_ROWS || bytes >= GROUP_BYTES) yield writeGroup();
    }
  }
  if (group[0]?.length !== 0) yield writeGroup();
  parquet.finish();
  yield writer.take();
}

const emptyGroup = (): Value[][] => COLUMNS.map(() => []);

class RowValues {
  readonly #row: CsvRow;
  readonly #amount = new Amount();
  readonly #incomplete: Incomplete;

  constructor(row: CsvRow, incomplete: Incomplete) {
    this.#row = row;
    this.#incomplete = incomplete;
  }

  addTo(group: Value[][], chunk: Buffer): void {
    for (let column = 0; column < CSV_COLUMNS; column++) group[column]?.push(this.#valueOf(chunk, column));
    group[CSV_COLUMNS]?.push(this.#row.isVigente(chunk));
  }

  #valueOf(chunk: Buffer, column: number): Value {
    const row = this.#row;
    const { tipo, vacio } = COLUMNS[column] ?? {};
    if (row.isEmpty(column)) return vacio === null && tipo === 'texto' ? '' : null;
    if (tipo === 'texto') return row.text(chunk, column);
    const value = tipo === 'decimal' ? this.#amountOf(chunk, column) : this.#instantOf(chunk, column);
    if (value === null) this.#incomplete.add(column);
    return value;
  }

  #amountOf(chunk: Buffer, column: number): bigint | null {
    const { starts, ends } = this.#row;
    const isAmount = this.#amount.read(chunk, starts[column] as number, ends[column] as number);
    return isAmount ? this.#amount.scaled(chunk) : null;
  }

  #instantOf(chunk: Buffer, column: number): bigint | null {
    const seconds = readInstant(chunk, this.#row.starts[column] as number);
    return Number.isNaN(seconds) ? null : BigInt(seconds * 1_000);
  }
}
