import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvIlegible, readRegistros } from './rfcs-csv.ts';

async function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = 1_024) {
  const registros = [];
  for await (const registro of readRegistros(pieces(Buffer.from(text), size), 10_000)) registros.push(registro);
  return registros;
}

const escaped = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

describe('the records of a CSV', () => {
  it('are those that a library reads, whatever the cells hold and wherever the bytes are cut', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'Ñ', '€', '"', ',', '\n', '\r', ' ', ';'),
      maxLength: 6,
    });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 20 }),
        async (rows, newline, size) => {
          const text = rows.map((row) => row.map(escaped).join(',') + newline).join('');
          const theirs = parse(text, { relax_column_count: true, record_delimiter: newline });
          expect((await read(text, size)).map(({ celdas }) => celdas)).toEqual(theirs);
          expect(theirs).toEqual(rows);
        },
      ),
    );
  });

  it('carry the line on which they end', async () => {
    expect(await read('\ufeffa,b\r\n\r\n"x\ny",2\n\n3')).toEqual([
      { celdas: ['a', 'b'], linea: 1 },
      { celdas: ['x\ny', '2'], linea: 4 },
      { celdas: ['3'], linea: 6 },
    ]);
  });

  it.each([
    ['a"b\n', 1],
    ['a\n"b"c\n', 2],
    ['a\n\n"b', 3],
    [`a\n${'b'.repeat(10_001)}`, 2],
  ])('cannot be read from %j', async (text, linea) => {
    const error = await read(text).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(CsvIlegible);
    expect(error).toMatchObject({ linea });
  });
});
