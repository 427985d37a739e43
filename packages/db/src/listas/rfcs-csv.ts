import { parseRfc } from '@acuse/contract';

/** The text is not CSV: a quotation mark stands or is missing where it must not, or a record is too long. */
export class CsvIlegible extends Error {
  readonly linea: number;

  constructor(linea: number) {
    super(`line ${linea} is not CSV`);
    this.name = 'CsvIlegible';
    this.linea = linea;
  }
}

export interface RegistroCsv {
  readonly celdas: readonly string[];
  /** Where the record ends in the file, from 1. */
  readonly linea: number;
}

/**
 * The records of a CSV in UTF-8 (RFC 4180; lines may also end in LF or CR alone), without empty lines and byte order
 * mark. Throws {@link CsvIlegible}; a record has at most `maxCaracteres`.
 */
export async function* readRegistros(
  bytes: AsyncIterable<Uint8Array>,
  maxCaracteres: number,
): AsyncGenerator<RegistroCsv> {
  const decoder = new TextDecoder();
  const lector = createLector(maxCaracteres);
  for await (const piece of bytes) yield* lector.read(decoder.decode(piece, { stream: true }));
  yield* lector.read(decoder.decode());
  yield* lector.end();
}

function createLector(maxCaracteres: number) {
  let celdas: string[] = [];
  let celda = '';
  let caracteres = 0;
  let linea = 1;
  let isQuoted = false;
  /**
   * The cell was in quotation marks: after the closing one only a separator may follow, or a second mark that stands
   * for one.
   */
  let wasQuoted = false;
  let isAfterReturn = false;

  function endCell(): void {
    celdas.push(celda);
    celda = '';
    wasQuoted = false;
  }

  function* endRecord(): Generator<RegistroCsv> {
    const isEmpty = celdas.length === 0 && celda === '' && !wasQuoted;
    endCell();
    const registro = { celdas, linea };
    celdas = [];
    caracteres = 0;
    if (!isEmpty) yield registro;
  }

  function quote(): void {
    if (isQuoted) {
      isQuoted = false;
      wasQuoted = true;
    } else if (wasQuoted) {
      celda += '"';
      isQuoted = true;
      wasQuoted = false;
    } else if (celda === '') isQuoted = true;
    else throw new CsvIlegible(linea);
  }

  return {
    *read(text: string): Generator<RegistroCsv> {
      for (const letter of text) {
        const isLineFeedOfReturn = isAfterReturn && letter === '\n';
        isAfterReturn = letter === '\r' && !isQuoted;
        if (isLineFeedOfReturn) continue;
        caracteres += 1;
        if (caracteres > maxCaracteres) throw new CsvIlegible(linea);
        const isBreak = letter === '\n' || (letter === '\r' && !isQuoted);
        if (letter === '"') quote();
        else if (isQuoted) celda += letter;
        else if (letter === ',') endCell();
        else if (isBreak) yield* endRecord();
        else if (wasQuoted) throw new CsvIlegible(linea);
        else celda += letter;
        if (isBreak) linea += 1;
      }
    },
    *end(): Generator<RegistroCsv> {
      if (isQuoted) throw new CsvIlegible(linea);
      yield* endRecord();
    },
  };
}

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
