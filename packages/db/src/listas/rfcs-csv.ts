import { parseRfc } from '@acuse/contract';
import { CsvIlegible, readRegistros } from './registros-csv.ts';

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
/** Characters that a line may have. */
const LINE_CHARACTERS = 4_096;

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
  try {
    for await (const { celdas, linea } of readRegistros(bytes, LINE_CHARACTERS)) {
      if (column === null) {
        const named = celdas.findIndex((cell) => cell.trim().toLowerCase() === 'rfc');
        column = Math.max(named, 0);
        if (named >= 0) continue;
        if (celdas.length > 1)
          throw new ArchivoRechazado([{ linea: 1, motivo: 'varias columnas y ninguna se llama rfc' }], 1);
      }
      const text = celdas[column] ?? '';
      const rfc = parseRfc(text);
      if (rfc === null) refuse(linea, `${JSON.stringify(text.slice(0, 40))} no tiene el formato de un RFC`);
      else rfcs.add(rfc);
    }
  } catch (error) {
    if (!(error instanceof CsvIlegible)) throw error;
    refuse(error.linea, 'no es CSV: las comillas no cierran o la línea es demasiado larga');
  }
  if (total > 0) throw new ArchivoRechazado(bad, total);
  if (rfcs.size === 0) throw new ArchivoRechazado([{ linea: 1, motivo: 'el archivo no tiene ningún RFC' }], 1);
  return [...rfcs];
}
