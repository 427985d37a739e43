import { ByteSink } from './byte-sink.ts';
import { type Column, type Incomplete, type Layout, placesOf } from './columns.ts';
import { Amount, CsvRow, readInstant } from './csv-row.ts';

/** Rows that a sheet has, that of the names included (ECMA-376; "Excel specifications and limits"). */
const SHEET_ROWS = 1_048_576;
/** Characters, in UTF-16, that a cell holds. */
const CELL_CHARACTERS = 32_767;
/** A sheet ends before its text is more than a ZIP without ZIP64 can hold. */
const SHEET_BYTES = 2 ** 31;

/** Significant digits of a number in a cell. */
const NUMBER_DIGITS = 15;
/** Days from the day 0 of a sheet to 1970-01-01. */
const UNIX_DAY = 25_569;
const DAY_SECONDS = 86_400;
/** 1900-03-01: before it the sheet counts a 29 February that there was not. */
const FIRST_DAY = 61;

export interface SheetLimits {
  readonly rows: number;
  readonly bytes: number;
}
export const SHEET_LIMITS: SheetLimits = { rows: SHEET_ROWS, bytes: SHEET_BYTES };

/** Indexes of the cell formats in {@link STYLES}. */
const STYLE = { texto: 1, fecha_hora: 2, decimal: 3, entero: 0, header: 4 } as const;

/** Text cells have the format of text: a text that looks like a formula stays text even when its cell is edited. */
export const STYLES =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>' +
  '<numFmt numFmtId="165" formatCode="#,##0.00####"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  [49, 164, 165]
    .map((id) => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`)
    .join('') +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

/** The letter of a column; no file has more than 26. */
const letterOf = (column: number) => String.fromCharCode(0x41 + column);
const WIDTHS: Readonly<Record<string, number>> = { uuid: 38, xml: 58 };
const widthOf = ({ tipo, nombre }: Column) =>
  WIDTHS[nombre] ?? (nombre.startsWith('nombre') ? 40 : tipo === 'fecha_hora' ? 20 : 15);

const preludeOf = ({ columns }: Layout) =>
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews>' +
  '<sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
  `</sheetView></sheetViews><cols>${columns.map((each, column) => `<col min="${column + 1}" max="${column + 1}" width="${widthOf(each)}" customWidth="1"/>`).join('')}</cols><sheetData><row r="1">` +
  columns
    .map(
      ({ nombre }, column) =>
        `<c r="${letterOf(column)}1" s="${STYLE.header}" t="inlineStr"><is><t>${nombre}</t></is></c>`,
    )
    .join('') +
  '</row>';

/**
 * What a byte becomes in the text of a cell: markup, what XML cannot hold as `_xHHHH_` (ECMA-376, ST_Xstring), and CR
 * too, since XML makes a line feed of it.
 */
const ESCAPES: (Uint8Array | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const named = { 38: '&amp;', 60: '&lt;', 62: '&gt;' }[byte];
  if (named !== undefined) return Buffer.from(named);
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a ? Buffer.from(escapeOf(byte)) : undefined;
});
/** `_x0000_`, the longest of them. */
const LONGEST_ESCAPE = 7;

function escapeOf(code: number): string {
  return `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`;
}

const OPEN = Array.from({ length: 26 }, (_, column) => Buffer.from(`<c r="${letterOf(column)}`));
const AS_TEXT = Buffer.from(`" s="${STYLE.texto}" t="inlineStr"><is><t>`);
const AS_SPACED_TEXT = Buffer.from(`" s="${STYLE.texto}" t="inlineStr"><is><t xml:space="preserve">`);
const TEXT_END = Buffer.from('</t></is></c>');
const AS_INSTANT = Buffer.from(`" s="${STYLE.fecha_hora}"><v>`);
const AS_AMOUNT = Buffer.from(`" s="${STYLE.decimal}"><v>`);
const AS_INTEGER = Buffer.from(`" s="${STYLE.entero}"><v>`);
const AS_BOOLEAN = Buffer.from('" t="b"><v>');
const VALUE_END = Buffer.from('</v></c>');
const ROW_OPEN = Buffer.from('<row r="');
const ROW_GO = Buffer.from('">');
const ROW_END = Buffer.from('</row>');
/** What surrounds the values of a row, at most. */
const ROW_BYTES = 2_048;

/** Chunks of rows of CSV, taken row by row by one sheet after another. */
export class RowCursor {
  chunk: Buffer = Buffer.alloc(0);
  at = 0;
  readonly #rows: AsyncIterator<Buffer>;

  constructor(rows: AsyncIterable<Buffer>) {
    this.#rows = rows[Symbol.asyncIterator]();
  }

  /** Whether there is a row at {@link at}, when need be in the next chunk. */
  async hasRow(): Promise<boolean> {
    while (this.at === this.chunk.length) {
      const next = await this.#rows.next();
      if (next.done) return false;
      this.chunk = next.value;
      this.at = 0;
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#rows.return?.();
  }
}

/** The text of one sheet with as many rows as it may have; leaves the others to the cursor. */
export async function* sheetOf(
  cursor: RowCursor,
  layout: Layout,
  limits: SheetLimits,
  incomplete: Incomplete,
): AsyncGenerator<Buffer, void, undefined> {
  const writer = new RowWriter(layout, incomplete);
  const prelude = Buffer.from(preludeOf(layout));
  const { sink } = writer;
  let bytes = 0;
  let rows = 1;
  sink.reserve(prelude.length);
  sink.put(prelude);
  while (rows < limits.rows && bytes < limits.bytes && (await cursor.hasRow())) {
    while (rows < limits.rows && cursor.at < cursor.chunk.length) {
      rows++;
      cursor.at = writer.write(cursor.chunk, cursor.at, rows);
    }
    for (const chunk of sink.take()) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const end = `</sheetData><autoFilter ref="A1:${letterOf(layout.columns.length - 1)}${rows}"/></worksheet>`;
  sink.reserve(end.length);
  sink.put(Buffer.from(end));
  yield* sink.take(true);
}

class RowWriter {
  readonly sink = new ByteSink();
  readonly #columns: Layout['columns'];
  readonly #places: readonly number[];
  readonly #row: CsvRow;
  readonly #amount = new Amount();
  readonly #incomplete: Incomplete;
  /** The number of the row in digits. */
  #number: Buffer = Buffer.alloc(0);

  constructor({ fields, columns }: Layout, incomplete: Incomplete) {
    this.#columns = columns;
    this.#places = columns.map(placesOf);
    this.#row = new CsvRow(fields.length);
    this.#incomplete = incomplete;
  }

  /** Writes the row of the chunk at `from` as row `number` of the sheet; returns the offset after it. */
  write(chunk: Buffer, from: number, number: number): number {
    const sink = this.sink;
    const row = this.#row;
    const next = row.read(chunk, from);
    sink.reserve((next - from) * LONGEST_ESCAPE + ROW_BYTES);
    this.#number = Buffer.from(String(number), 'latin1');
    sink.put(ROW_OPEN);
    sink.put(this.#number);
    sink.put(ROW_GO);
    for (let column = 0; column < this.#columns.length; column++) {
      const { tipo, field } = this.#columns[column] as Layout['columns'][number];
      if (tipo === 'booleano') this.#putBoolean(column, row.isVigente(chunk));
      else if (row.isEmpty(field)) continue;
      else if (tipo === 'fecha_hora') this.#putInstant(chunk, column, field);
      else if (tipo === 'decimal' || tipo === 'entero') this.#putAmount(chunk, column, field);
      else this.#putText(chunk, column, field);
    }
    sink.put(ROW_END);
    return next;
  }

  #open(column: number, as: Uint8Array): void {
    this.sink.put(OPEN[column] as Buffer);
    this.sink.put(this.#number);
    this.sink.put(as);
  }

  #putBoolean(column: number, value: boolean): void {
    this.#open(column, AS_BOOLEAN);
    this.sink.bytes[this.sink.at++] = value ? 0x31 : 0x30;
    this.sink.put(VALUE_END);
  }

  #putInstant(chunk: Buffer, column: number, field: number): void {
    const day =
      readInstant(chunk, this.#row.starts[field] as number, this.#row.ends[field] as number) / DAY_SECONDS + UNIX_DAY;
    if (day >= FIRST_DAY) {
      this.#open(column, AS_INSTANT);
      this.sink.putNumber(day);
      this.sink.put(VALUE_END);
    } else {
      this.#putText(chunk, column, field);
    }
  }

  #putAmount(chunk: Buffer, column: number, field: number): void {
    const { sink } = this;
    const amount = this.#amount;
    const { starts, ends } = this.#row;
    const isNumber = amount.read(chunk, starts[field] as number, ends[field] as number, this.#places[column]);
    if (isNumber && amount.digits <= NUMBER_DIGITS) {
      this.#open(column, this.#columns[column]?.tipo === 'entero' ? AS_INTEGER : AS_AMOUNT);
      sink.at = amount.write(chunk, sink.bytes, sink.at);
      sink.put(VALUE_END);
    } else {
      this.#putText(chunk, column, field);
    }
  }

  #putText(chunk: Buffer, column: number, field: number): void {
    const start = this.#row.starts[field] as number;
    const end = this.#row.ends[field] as number;
    const isSpaced = isSpace(chunk[start] as number) || isSpace(chunk[end - 1] as number);
    this.#open(column, isSpaced ? AS_SPACED_TEXT : AS_TEXT);
    if (isPlain(chunk, start, end)) {
      this.sink.putEscaped(this.#row.field(chunk, field), ESCAPES);
    } else {
      const source = Buffer.from(this.#cellText(this.#row.text(chunk, field), column));
      this.sink.putEscaped({ source, start: 0, end: source.length, doubled: false }, ESCAPES);
    }
    this.sink.put(TEXT_END);
  }

  /** Cut to what a cell holds; what looks like an escape, and what XML cannot hold, escaped. */
  #cellText(text: string, column: number): string {
    let cut = text;
    if (text.length > CELL_CHARACTERS) {
      this.#incomplete.add(column);
      // No half of a surrogate pair is left.
      cut = text.slice(0, CELL_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
    }
    return cut
      .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, escapeOf(0x5f))
      .replace(/[\uFFFE\uFFFF]/g, (character) => escapeOf(character.charCodeAt(0)));
  }
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0a;

/** Whether the text fits a cell and has neither `_x` nor U+FFFE and U+FFFF. */
function isPlain(chunk: Uint8Array, start: number, end: number): boolean {
  if (end - start > CELL_CHARACTERS) return false;
  for (let i = start; i < end; i++) {
    const byte = chunk[i] as number;
    if (byte === 0x5f && chunk[i + 1] === 0x78) return false;
    if (byte === 0xef && chunk[i + 1] === 0xbf && (chunk[i + 2] as number) > 0xbd) return false;
  }
  return true;
}
