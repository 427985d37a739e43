/** A column of a file: its name, and its value as a field ({@link textCell} for text of users). */
export interface ColumnaCsv<T> {
  readonly titulo: string;
  readonly of: (fila: T) => string;
}

const BOM = '\ufeff';
const END = '\r\n';

/**
 * Text as one field of RFC 4180. What a spreadsheet would read as a formula gets an apostrophe in front (OWASP, CSV
 * Injection): text that begins, also after spaces, with = + - @, a tab or a line break.
 */
export function textCell(texto: string | null): string {
  if (texto === null || texto === '') return '';
  const safe = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(texto) ? `'${texto}` : texto;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Rows as CSV (RFC 4180, UTF-8), one chunk for each lot of them. A lot is read from the database only when the one
 * before was taken, so a slow reader holds neither memory nor a connection. A failure ends the transfer unfinished,
 * never with a shorter file that looks whole. `withBom` is for spreadsheets that take a file without it for another
 * encoding.
 */
export function streamCsv<T>(
  columnas: readonly ColumnaCsv<T>[],
  lots: AsyncGenerator<readonly T[]>,
  { withBom }: { readonly withBom: boolean },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const head = `${withBom ? BOM : ''}${columnas.map(({ titulo }) => titulo).join(',')}${END}`;
  const line = (fila: T) => `${columnas.map(({ of }) => of(fila)).join(',')}${END}`;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(head)),
      async pull(controller) {
        const { value, done } = await lots.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value.map(line).join('')));
      },
      async cancel() {
        await lots.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
}

/** The answer that a browser saves under this name. */
export const csvResponse = (body: ReadableStream<Uint8Array>, nombre: string): Response =>
  new Response(body, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${nombre}.csv"`,
      'Cache-Control': 'no-store',
    },
  });
