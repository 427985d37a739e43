import { pipeline } from 'node:stream/promises';
import { parseRfc } from '@acuse/contract';
import { CsvError, parse } from 'csv-parse';

/** Fault of one line of the file. */
interface LineaMala {
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
        'No se importó nada: el archivo tiene líneas que no son un RFC. Corríjalas y vuelva a importarlo.',
        ...shown,
        ...(rest > 0 ? [`y ${rest} más`] : []),
      ].join('\n'),
    );
    this.name = 'ArchivoRechazado';
  }
}

/** Lines that are named in full. */
const SHOWN = 20;
/** Bytes that a record may have. */
const LINE_BYTES = 4_096;

/**
 * Reads the RFCs of a CSV in UTF-8: of the column named `rfc`, or of the only column. Normalised, each once. Rejects
 * with {@link ArchivoRechazado} when a line has none that is valid, or when there is none at all.
 */
export async function readRfcs(bytes: AsyncIterable<Uint8Array>): Promise<string[]> {
  const rfcs = new Set<string>();
  const bad: LineaMala[] = [];
  let total = 0;
  let column: number | null = null;
  const refuse = (linea: number, motivo: string) => {
    total += 1;
    if (bad.length < SHOWN) bad.push({ linea, motivo });
  };
  // csv-parse counts two lines where a cell has CR LF in it.
  let tooMany = 0;
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LINE_BYTES,
    on_record(celdas: string[], { lines }): undefined {
      tooMany += celdas.join().split('\r\n').length - 1;
      if (column === null) {
        const named = celdas.findIndex((cell) => cell.trim().toLowerCase() === 'rfc');
        column = Math.max(named, 0);
        if (named >= 0) return;
        if (celdas.length > 1)
          throw new ArchivoRechazado([{ linea: 1, motivo: 'varias columnas y ninguna se llama rfc' }], 1);
      }
      const text = celdas[column] ?? '';
      const rfc = parseRfc(text);
      if (rfc === null) refuse(lines - tooMany, `${JSON.stringify(text.slice(0, 40))} no tiene el formato de un RFC`);
      else rfcs.add(rfc);
    },
  });
  try {
    await pipeline(bytes, parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    refuse(Number(error['lines']) - tooMany, 'no es CSV: las comillas no cierran o la línea es demasiado larga');
  }
  if (total > 0) throw new ArchivoRechazado(bad, total);
  if (rfcs.size === 0) throw new ArchivoRechazado([{ linea: 1, motivo: 'el archivo no tiene ningún RFC' }], 1);
  return [...rfcs];
}
