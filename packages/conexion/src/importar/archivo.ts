import { explainRfc, parseRfc, readNombre } from '@acuse/contract';
import { isDireccion } from '@acuse/runtime';
import { CsvError, parse } from 'csv-parse/sync';

/** Lines of a file below its header, empty ones left out. */
export const MAX_LINEAS = 10_000;
/** Bytes of a file. */
export const MAX_BYTES = 2_097_152;

const COLUMNAS = ['rfc', 'nombre', 'correo'] as const;
type Columna = (typeof COLUMNAS)[number];

/** A line that can be imported. */
export interface Fila {
  /** Number of the line in the file; the header is line 1. */
  readonly linea: number;
  /** Normalised. */
  readonly rfc: string;
  readonly nombre: string | null;
  /** Address that the connect link is for, in lower case. */
  readonly correo: string | null;
}

/** A line that cannot be imported. */
export interface Falta {
  readonly linea: number;
  /** The faulty value, cut to 60 characters. */
  readonly valor: string;
  /** Why, and what to do; in Spanish. */
  readonly motivo: string;
}

export interface Leido {
  readonly filas: readonly Fila[];
  readonly faltas: readonly Falta[];
}

/** The file as a whole cannot be read. The message, in Spanish, says why and what to do. */
export class ArchivoIlegible extends Error {
  constructor(motivo: string) {
    super(`${motivo} No se importó nada.`);
    this.name = 'ArchivoIlegible';
  }
}

const ENCABEZADO = 'La primera línea debe ser el encabezado: rfc,nombre,correo (nombre y correo, si los usa).';
const COMO_CSV = 'Guárdelo en su hoja de cálculo como «CSV UTF-8».';

/** Text of a file in UTF-8, or else in Windows-1252, as spreadsheets in Spanish write it. */
function textOf(bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES)
    throw new ArchivoIlegible(`El archivo pasa de ${MAX_BYTES / 1_048_576} MiB. Divídalo en varios.`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    text = new TextDecoder('windows-1252').decode(bytes);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a text has none of them.
  if (/[\0-\x08\x0e-\x1f]/.test(text)) throw new ArchivoIlegible(`El archivo no es de texto. ${COMO_CSV}`);
  if (text.trim() === '') throw new ArchivoIlegible(`El archivo está vacío. ${ENCABEZADO}`);
  return text;
}

/** Cells of a line, or null where its quotes do not close. A cell holds no line break. */
function cellsOf(line: string, delimiter: string): readonly string[] | null {
  try {
    const options = { delimiter, relax_column_count: true, relax_quotes: true, trim: true } as const;
    return (parse(line, options) as string[][])[0] ?? [];
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

/** Column of each place of the header. */
function columnsOf(header: readonly string[]): readonly Columna[] {
  const names = header.map((name) => name.toLowerCase());
  if (!names.includes('rfc')) throw new ArchivoIlegible(`El archivo no tiene la columna rfc. ${ENCABEZADO}`);
  return names.map((name, at) => {
    const columna = COLUMNAS.find((each) => each === name);
    if (columna === undefined)
      throw new ArchivoIlegible(
        `No se conoce la columna «${shorten(name)}». ${ENCABEZADO} Corrija su nombre o quítela.`,
      );
    if (names.indexOf(name) !== at) throw new ArchivoIlegible(`La columna ${name} está dos veces. Deje una.`);
    return columna;
  });
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/**
 * Reads a CSV with the header `rfc,nombre,correo`, the last two optional; separated by commas, semicolons or tabs, in
 * any case, with or without a byte order mark. Of lines with the same RFC the first counts. Throws ArchivoIlegible.
 */
export function readArchivo(bytes: Uint8Array): Leido {
  const lines = textOf(bytes).split(/\r\n|\n|\r/);
  const first = lines.findIndex((line) => line.trim() !== '');
  const header = lines[first] ?? '';
  const delimiter = [';', '\t'].find((each) => header.includes(each)) ?? ',';
  const columnas = columnsOf(cellsOf(header, delimiter) ?? []);
  const below = lines.flatMap((line, at) => (at > first && line.trim() !== '' ? [{ line, linea: at + 1 }] : []));
  if (below.length === 0) throw new ArchivoIlegible('El archivo no tiene ningún RFC debajo del encabezado.');
  if (below.length > MAX_LINEAS)
    throw new ArchivoIlegible(
      `El archivo tiene ${below.length.toLocaleString('es-MX')} líneas y el máximo es ${MAX_LINEAS.toLocaleString('es-MX')}. Divídalo en varios.`,
    );
  const filas: Fila[] = [];
  const faltas: Falta[] = [];
  const seen = new Map<string, number>();
  for (const { line, linea } of below) {
    const read = readLine(line, delimiter, columnas);
    const before = 'rfc' in read ? seen.get(read.rfc) : undefined;
    if (!('rfc' in read)) faltas.push({ linea, valor: shorten(read.valor), motivo: read.motivo });
    else if (before !== undefined)
      faltas.push({ linea, valor: read.rfc, motivo: `El RFC ya está en la línea ${before}. Deje una de las dos.` });
    else {
      seen.set(read.rfc, linea);
      filas.push({ linea, ...read });
    }
  }
  return { filas, faltas };
}

function readLine(
  line: string,
  delimiter: string,
  columnas: readonly Columna[],
): Omit<Fila, 'linea'> | Omit<Falta, 'linea'> {
  const cells = cellsOf(line, delimiter);
  if (cells === null) return { valor: line, motivo: 'Las comillas no cierran. Ciérrelas en la misma línea.' };
  if (cells.slice(columnas.length).some((cell) => cell !== ''))
    return {
      valor: line,
      motivo: `Tiene ${cells.length} columnas y el encabezado ${columnas.length}. Si un nombre lleva «${delimiter}», póngalo entre comillas.`,
    };
  const cell = (columna: Columna) => cells[columnas.indexOf(columna)] ?? '';
  const text = cell('rfc');
  const rfc = parseRfc(text);
  if (rfc === null) return { valor: text, motivo: explainRfc(text) };
  const correo = cell('correo').toLowerCase();
  if (correo !== '' && (correo.length > 254 || !isDireccion(correo)))
    return { valor: correo, motivo: 'No es una dirección de correo. Corríjala o déjela vacía.' };
  return { rfc, nombre: readNombre(cell('nombre')), correo: correo === '' ? null : correo };
}
