import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FilaEfos, ListaEfosAbierta, PasoEfos } from '@acuse/core';
import { CsvError, parse } from 'csv-parse';
import { type Columnas, isHeader, readCeldaFecha, readColumnas, readFechaCorte, readSituacion } from './columnas.ts';
import { decodeText, listaIlegible } from './decode.ts';

/** Rows handed over at once. */
const BATCH = 500;
/** Lines that may stand before the header. */
const HEAD_LINES = 12;
/** Characters of one row; the longest real ones, with a judgment in the name, have about two thousand. */
const ROW_CHARACTERS = 32_768;
/** Of a name or a notice, that many are kept. */
const CELL_CHARACTERS = 4_096;
/** Part of the rows that may have no RFC that can be read, besides the hidden ones. */
const UNREADABLE_PART = 0.01;

/** Letters, date and three characters; Ñ and & are letters. */
const RFC = /^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/;
/** The list hides an RFC, by order of a court, behind a row of X. */
const HIDDEN = /^[X*]+$|X{6}|\*{3}/;

export interface OpcionesLectura {
  /** Base64 of the digest that the source gives for the whole body. */
  readonly md5?: string | undefined;
  /**
   * The source told the length, or gave the digest: a body that ends early is then noticed. Otherwise it has to end
   * with a line break.
   */
  readonly hasEnd?: boolean;
}

type Abierta = Pick<ListaEfosAbierta, 'fechaCorte' | 'batches' | 'sha256' | 'close'>;

/**
 * Reads `Listado_completo_69-B.csv` as it comes: prose with the day of the cut, a title, the header, and a row a
 * proceeding. Resolves after the header. Rejects, there or while the rows are read, with RESPUESTA_ILEGIBLE when it is
 * anything else: the caller must not keep what it has read until then. Memory is a few rows, however large the body is.
 */
export async function readLista69b(body: AsyncIterable<Buffer>, options: OpcionesLectura = {}): Promise<Abierta> {
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  let digest: string | undefined;
  let last = 0x0a;
  async function* hashed() {
    for await (const chunk of body) {
      sha256.update(chunk);
      md5.update(chunk);
      last = chunk.at(-1) ?? last;
      yield chunk;
    }
    if (options.md5 !== undefined && md5.digest('base64') !== options.md5) throw listaIlegible('Content-MD5');
    digest = sha256.digest('hex');
  }

  const records = csvRecords(decodeText(hashed()));
  try {
    const { fechaCorte, columnas } = await readHead(records);
    return {
      fechaCorte,
      batches: readRows(records, columnas, () => {
        if (last === 0x0a || last === 0x0d) return 'linea';
        return options.hasEnd === true || options.md5 !== undefined ? 'avisado' : 'abierto';
      }),
      sha256() {
        if (digest === undefined) throw new Error('the list has not been read to its end');
        return digest;
      },
      close: () => void records.return(undefined),
    };
  } catch (error) {
    await records.return(undefined);
    throw error;
  }
}

/** The records of the text; every way in which it is no CSV is RESPUESTA_ILEGIBLE. */
async function* csvRecords(text: AsyncIterable<string>): AsyncGenerator<string[], void, undefined> {
  const parser = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: ROW_CHARACTERS,
  });
  const source = Readable.from(text, { objectMode: true });
  const running = pipeline(source, parser);
  running.catch(() => {});
  try {
    for await (const record of parser as AsyncIterable<string[]>) yield record;
    await running;
  } catch (error) {
    if (error instanceof CsvError) throw listaIlegible(error.code);
    throw error;
  } finally {
    source.destroy();
    parser.destroy();
  }
}

async function readHead(
  records: AsyncGenerator<string[], void, undefined>,
): Promise<{ fechaCorte: string; columnas: Columnas }> {
  let fechaCorte: string | null = null;
  for (let line = 0; line < HEAD_LINES; line += 1) {
    const { value: record } = await records.next();
    if (!record) break;
    if (isHeader(record)) {
      if (fechaCorte === null) throw listaIlegible('sin fecha de corte');
      return { fechaCorte, columnas: readColumnas(record) };
    }
    fechaCorte ??= readFechaCorte(record.join(' '));
  }
  throw listaIlegible('sin encabezado');
}

async function* readRows(
  records: AsyncGenerator<string[], void, undefined>,
  columnas: Columnas,
  endOf: () => 'linea' | 'avisado' | 'abierto',
): AsyncGenerator<readonly FilaEfos[]> {
  let batch: FilaEfos[] = [];
  let rows = 0;
  let unreadable = 0;
  let isLastDoubtful = false;
  try {
    for await (const record of records) {
      if (record.every((cell) => cell.trim() === '')) continue;
      rows += 1;
      const { fila, isHidden, hasDoubt } = readRow(record, columnas, rows);
      isLastDoubtful = hasDoubt;
      if (fila.rfc === null && !isHidden) unreadable += 1;
      batch.push(fila);
      if (batch.length === BATCH) {
        yield batch;
        batch = [];
      }
    }
    if (rows === 0) throw listaIlegible('sin renglones');
    const end = endOf();
    // A body that was cut in its last cell has as many cells as a whole one.
    if (end === 'abierto' || (end === 'avisado' && isLastDoubtful)) throw listaIlegible('último renglón incompleto');
    if (unreadable > rows * UNREADABLE_PART) throw listaIlegible(`${unreadable} renglones sin RFC legible`);
    if (batch.length > 0) yield batch;
  } finally {
    await records.return(undefined);
  }
}

function readRow(
  record: readonly string[],
  columnas: Columnas,
  row: number,
): { fila: FilaEfos; isHidden: boolean; hasDoubt: boolean } {
  const isWhole =
    record.length >= columnas.cuantas && record.slice(columnas.cuantas).every((cell) => cell.trim() === '');
  if (!isWhole) throw listaIlegible(`renglón ${row}: ${record.length} columnas`);
  const cell = (index: number) => record[index] ?? '';
  const situacion = readSituacion(cell(columnas.situacion));
  if (situacion === null) throw listaIlegible(`renglón ${row}: situación desconocida`);
  let hasDoubt = false;
  const day = (index: number): string | null => {
    const fecha = readCeldaFecha(cell(index));
    if (fecha.tipo === 'ilegible') hasDoubt = true;
    return fecha.tipo === 'dia' ? fecha.dia : null;
  };
  const historial = columnas.pasos.flatMap((paso): PasoEfos[] => {
    const oficio = paso.oficios.map((index) => tidy(cell(index))).find((text) => text !== '') ?? null;
    const [fechaSat, fechaDof] = [day(paso.fechaSat), day(paso.fechaDof)];
    const isGiven = [...paso.oficios, paso.fechaSat, paso.fechaDof].some((index) => cell(index).trim() !== '');
    return isGiven ? [{ situacion: paso.situacion, oficio, fechaSat, fechaDof }] : [];
  });
  const rfc = cell(columnas.rfc)
    .normalize('NFC')
    .toUpperCase()
    .replace(/[\s-]+/g, '');
  const isHidden = HIDDEN.test(rfc);
  return {
    fila: { rfc: RFC.test(rfc) ? rfc : null, nombre: tidy(cell(columnas.nombre)), situacion, historial },
    isHidden,
    hasDoubt,
  };
}

/** One line of printable text: the database takes no NUL, and nobody wants the line breaks of a spreadsheet. */
function tidy(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, CELL_CHARACTERS)
    .replace(/[\ud800-\udbff]$/, '');
}
