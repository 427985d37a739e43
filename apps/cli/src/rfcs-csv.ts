import { pipeline } from 'node:stream/promises';
import { parseRfc } from '@acuse/contract';
import { CsvError, parse } from 'csv-parse';

/** What is wrong with one line of the file. */
export interface LineaMala {
  readonly linea: number;
  readonly motivo: string;
}

/** The file was not imported; every line that was looked at and is wrong is named. */
export class ArchivoRechazado extends Error {
  constructor(lineas: readonly LineaMala[], total: number) {
    const shown = lineas.map(({ linea, motivo }) => `línea ${linea}: ${motivo}`);
    const rest = total - lineas.length;
    super(
      [
        'No se importó nada: el archivo tiene líneas que no son un RFC. Corríjalas y repita la orden.',
        ...shown,
        ...(rest > 0 ? [`y ${rest} más`] : []),
      ].join('\n'),
    );
    this.name = 'ArchivoRechazado';
  }
}

/** Lines that are named in full. */
const SHOWN = 20;
/** Characters that a line may have. */
const LINE_CHARACTERS = 4_096;

interface Registro {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads the RFCs of a CSV in UTF-8: of the column named `rfc`, or of the only column. Normalised, each once. Rejects with
 * {@link ArchivoRechazado} when a line has none that is valid, or when there is none at all.
 */
export async function readRfcs(bytes: AsyncIterable<Buffer>): Promise<string[]> {
  const rfcs = new Set<string>();
  const bad: LineaMala[] = [];
  let total = 0;
  let column: number | null = null;
  const refuse = (linea: number, motivo: string) => {
    total += 1;
    if (bad.length < SHOWN) bad.push({ linea, motivo });
  };
  try {
    for await (const { record, info } of records(bytes)) {
      if (column === null) {
        const named = record.findIndex((cell) => cell.trim().toLowerCase() === 'rfc');
        column = Math.max(named, 0);
        if (named >= 0) continue;
        if (record.length > 1)
          throw new ArchivoRechazado([{ linea: 1, motivo: 'varias columnas y ninguna se llama rfc' }], 1);
      }
      const text = record[column] ?? '';
      const rfc = parseRfc(text);
      if (rfc === null)
        refuse(info.lines, `${JSON.stringify(text.slice(0, 40))} no tiene el formato de un RFC`);
      else rfcs.add(rfc);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    refuse(Number(error['lines'] ?? 1), 'no es CSV: las comillas no cierran o la línea es demasiado larga');
  }
  if (total > 0) throw new ArchivoRechazado(bad, total);
  if (rfcs.size === 0)
    throw new ArchivoRechazado([{ linea: 1, motivo: 'el archivo no tiene ningún RFC' }], 1);
  return [...rfcs];
}

async function* records(bytes: AsyncIterable<Buffer>): AsyncGenerator<Registro> {
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LINE_CHARACTERS,
  });
  const feeding = pipeline(bytes, parser);
  feeding.catch(() => {});
  try {
    yield* parser as AsyncIterable<Registro>;
    await feeding;
  } finally {
    parser.destroy();
  }
}
