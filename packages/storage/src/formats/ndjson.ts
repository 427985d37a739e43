import { ByteSink } from './byte-sink.ts';
import { type Incomplete, type Layout, placesOf } from './columns.ts';
import { Amount, CsvRow, readInstant } from './csv-row.ts';

/** What a byte becomes inside of a string of JSON (RFC 8259, section 7), where it cannot stand as it is. */
const ESCAPES: (Uint8Array | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const text = String.fromCharCode(byte);
  return byte < 0x20 || text === '"' || text === '\\' ? Buffer.from(JSON.stringify(text).slice(1, -1)) : undefined;
});
/** `\u0000`, the longest of them. */
const LONGEST_ESCAPE = 6;

const NULL = Buffer.from('null');
const [TRUE, FALSE] = [Buffer.from('true'), Buffer.from('false')];
const END = Buffer.from('}\n');
const QUOTE = 0x22;

/** Turns chunks of rows of CSV into lines of NDJSON, in UTF-8, one object each. */
export async function* ndjsonOf(
  rows: AsyncIterable<Buffer>,
  { fields, columns }: Layout,
  incomplete: Incomplete,
): AsyncGenerator<Buffer, void, undefined> {
  const sink = new ByteSink();
  const row = new CsvRow(fields.length);
  const amount = new Amount();
  const keys = columns.map(({ nombre }, column) => Buffer.from(`${column === 0 ? '{' : ','}"${nombre}":`));
  const places = columns.map(placesOf);
  const rowBytes = keys.reduce((sum, key) => sum + key.length, 64);
  for await (const chunk of rows) {
    for (let at = 0; at < chunk.length; ) {
      const next = row.read(chunk, at);
      sink.reserve((next - at) * LONGEST_ESCAPE + rowBytes);
      writeRow(chunk);
      at = next;
    }
    yield* sink.take();
  }
  yield* sink.take(true);

  function writeRow(chunk: Buffer): void {
    for (let column = 0; column < columns.length; column++) {
      sink.put(keys[column] as Buffer);
      const { tipo, field } = columns[column] as Layout['columns'][number];
      const start = row.starts[field] as number;
      const end = row.ends[field] as number;
      if (tipo === 'booleano') {
        sink.put(row.isVigente(chunk) ? TRUE : FALSE);
      } else if (start === end) {
        sink.put(NULL);
      } else if (tipo === 'decimal' || tipo === 'entero') {
        if (amount.read(chunk, start, end, places[column])) sink.at = amount.write(chunk, sink.bytes, sink.at);
        else putMisfit(column);
      } else if (tipo === 'fecha_hora' && Number.isNaN(readInstant(chunk, start, end))) {
        putMisfit(column);
      } else {
        sink.bytes[sink.at++] = QUOTE;
        sink.putEscaped(row.field(chunk, field), ESCAPES);
        sink.bytes[sink.at++] = QUOTE;
      }
    }
    sink.put(END);
  }

  function putMisfit(column: number): void {
    incomplete.add(column);
    sink.put(NULL);
  }
}
