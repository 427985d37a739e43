import { ByteSink } from './byte-sink.ts';
import { COLUMNS, CSV_COLUMNS, type Incomplete } from './columns.ts';
import { Amount, CsvRow, readInstant } from './csv-row.ts';

/** What a byte becomes inside of a string of JSON (RFC 8259, section 7), where it cannot stand as it is. */
const ESCAPES: (Uint8Array | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const text = String.fromCharCode(byte);
  return byte < 0x20 || text === '"' || text === '\\' ? Buffer.from(JSON.stringify(text).slice(1, -1)) : undefined;
});
/** `\u0000`, the longest of them. */
const LONGEST_ESCAPE = 6;

const KEYS = COLUMNS.map(({ nombre }, column) => Buffer.from(`${column === 0 ? '{' : ','}"${nombre}":`));
const ROW_BYTES = KEYS.reduce((sum, key) => sum + key.length, 64);
const NULL = Buffer.from('null');
const [TRUE, FALSE] = [Buffer.from('true'), Buffer.from('false')];
const END = Buffer.from('}\n');
const QUOTE = 0x22;

/** Turns chunks of rows of `metadata.csv` into lines of `metadata.ndjson`, in UTF-8, one object each. */
export async function* ndjsonOf(
  rows: AsyncIterable<Buffer>,
  incomplete: Incomplete,
): AsyncGenerator<Buffer, void, undefined> {
  const sink = new ByteSink();
  const row = new CsvRow();
  const amount = new Amount();
  for await (const chunk of rows) {
    for (let at = 0; at < chunk.length; ) {
      const next = row.read(chunk, at);
      sink.reserve((next - at) * LONGEST_ESCAPE + ROW_BYTES);
      writeRow(sink, chunk, row, amount, incomplete);
      at = next;
    }
    yield* sink.take();
  }
  yield* sink.take(true);
}

function writeRow(sink: ByteSink, chunk: Buffer, row: CsvRow, amount: Amount, incomplete: Incomplete): void {
  for (let column = 0; column < CSV_COLUMNS; column++) {
    sink.put(KEYS[column] as Buffer);
    const start = row.starts[column] as number;
    const end = row.ends[column] as number;
    const tipo = COLUMNS[column]?.tipo;
    if (start === end) {
      sink.put(NULL);
    } else if (tipo === 'decimal') {
      if (amount.read(chunk, start, end)) sink.at = amount.write(chunk, sink.bytes, sink.at);
      else putMisfit(sink, column, incomplete);
    } else if (tipo === 'fecha_hora' && Number.isNaN(readInstant(chunk, start))) {
      putMisfit(sink, column, incomplete);
    } else {
      sink.bytes[sink.at++] = QUOTE;
      sink.putEscaped(row.field(chunk, column), ESCAPES);
      sink.bytes[sink.at++] = QUOTE;
    }
  }
  sink.put(KEYS[CSV_COLUMNS] as Buffer);
  sink.put(row.isVigente(chunk) ? TRUE : FALSE);
  sink.put(END);
}

function putMisfit(sink: ByteSink, column: number, incomplete: Incomplete): void {
  incomplete.add(column);
  sink.put(NULL);
}
