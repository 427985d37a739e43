type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);
const isRows = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow);
const GAP = '  ';

/** A value in one line, for people. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'sí' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(plain).join(', ');
  if (isRow(value))
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${plain(each)}`)
      .join('; ');
  // Nothing that came from elsewhere may move the cursor of a terminal.
  return String(value).replace(/\p{Cc}/gu, ' ');
}

const widest = (texts: readonly string[]) => texts.reduce((most, { length }) => Math.max(most, length), 0);

/** Rows in columns, numbers to the right; one below the other where they are wider than the terminal. */
function table(rows: readonly Row[], columns: number): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => names.map((name) => plain(row[name])));
  const widths = names.map((name, at) => widest([name, ...cells.map((row) => row[at] ?? '')]));
  const total = widths.reduce((sum, width) => sum + width, GAP.length * (names.length - 1));
  if (total > columns) return rows.flatMap((row, at) => [...(at === 0 ? [] : ['']), ...fields(row, columns)]);
  const isNumber = names.map((name) => rows.every((row) => typeof row[name] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join(GAP)
      .trimEnd();
  return [line(names), ...cells.map(line)];
}

function fields(row: Row, columns: number): string[] {
  const entries = Object.entries(row);
  const single = entries.filter(([, value]) => !isRows(value));
  const width = widest(single.map(([name]) => name));
  // A field that came behind a table would look like its last row.
  const tables = entries.flatMap(([, value]) => (isRows(value) ? ['', ...table(value, columns)] : []));
  return [...single.map(([name, value]) => `${name.padEnd(width)}${GAP}${plain(value)}`), ...tables];
}

/**
 * The answer of an operation for a person: a field a line, lists as tables. `columns` is the width of the terminal.
 */
export function present(answer: Row, columns: number): string {
  const { cfdi_codigo: _, cfdi_texto: ok, cfdi_descripcion: __, data, ...more } = answer;
  const row = { ...(isRow(data) ? data : {}), ...more };
  return Object.keys(row).length === 0 ? String(ok) : fields(row, columns).join('\n');
}
