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
