import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { ListaAbierta } from '../listas.ts';
import { readFechaCorte } from './columnas.ts';
import { decodeText, listaIlegible } from './decode.ts';
import type { Formato } from './formatos.ts';

/** Rows handed over at once. */
const BATCH = 500;
/** Lines that may stand before the header. */
const HEAD_LINES = 12;
/** Characters of one row; the longest real ones, with a judgment in the name, have about two thousand. */
const ROW_CHARACTERS = 32_768;
/** Part of the rows that may have no RFC that can be read, besides the hidden ones. */
const UNREADABLE_PART = 0.01;
/**
 * What Ñ and the accents become when UTF-8 or a code page of DOS is read as windows-1252; no name in Spanish has them.
 * A few rows do have them at the SAT.
 */
const STRANGE = /[ÃÂ¥¤\ufffd]/;

export interface OpcionesLectura {
  /** Base64 of the digest that the source gives for the whole body. */
  readonly md5?: string | undefined;
  /**
   * The source told the length, or gave the digest: a body that ends early is then noticed. Otherwise it has to end
   * with a line break.
   */
  readonly hasEnd?: boolean;
  /** Day, `yyyy-MM-dd`, on which the source last changed it; the cut of a file that tells none. */
  readonly fechaFuente?: string | null;
}

type Abierta<F> = Pick<ListaAbierta<F>, 'fechaCorte' | 'batches' | 'sha256' | 'close'>;
/** What every row has. */
type Fila = { readonly rfc: string | null; readonly nombre: string };

/**
 * Reads a published file as it comes: some have prose with the day of the cut and a title first; then the header, and
 * the rows. Resolves after the header. Rejects, there or while the rows are read, with RESPUESTA_ILEGIBLE when it is
 * anything else: the caller must not keep what it has read until then. Memory is a few rows, however large the body is.
 */
export async function readLista<F extends Fila>(
  body: AsyncIterable<Buffer>,
  formato: Formato<F>,
  options: OpcionesLectura = {},
): Promise<Abierta<F>> {
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
    const { fechaCorte, header } = await readHead(records, formato, options.fechaFuente ?? null);
    return {
      fechaCorte,
      batches: readRows(records, formato.open(header), () => {
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
  { isHeader, needsFecha }: Pick<Formato<unknown>, 'isHeader' | 'needsFecha'>,
  fechaFuente: string | null,
): Promise<{ fechaCorte: string; header: readonly string[] }> {
  let prose: string | null = null;
  for (let line = 0; line < HEAD_LINES; line += 1) {
    const { value: record } = await records.next();
    if (!record) break;
    if (isHeader(record)) {
      const fechaCorte = prose ?? (needsFecha ? null : fechaFuente);
      if (fechaCorte === null) throw listaIlegible('sin fecha de corte');
      return { fechaCorte, header: record };
    }
    prose ??= readFechaCorte(record.join(' '));
  }
  throw listaIlegible('sin encabezado');
}

async function* readRows<F extends Fila>(
  records: AsyncGenerator<string[], void, undefined>,
  { read, finish }: ReturnType<Formato<F>['open']>,
  endOf: () => 'linea' | 'avisado' | 'abierto',
): AsyncGenerator<readonly F[]> {
  let batch: F[] = [];
  let rows = 0;
  let unreadable = 0;
  let strange = 0;
  let isLastDoubtful = false;
  try {
    for await (const record of records) {
      if (record.every((cell) => cell.trim() === '')) continue;
      rows += 1;
      const { fila, isHidden, hasDoubt, isOdd } = read(record, rows);
      isLastDoubtful = hasDoubt;
      if (isOdd || (fila.rfc === null && !isHidden)) unreadable += 1;
      if (STRANGE.test(fila.nombre)) strange += 1;
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
    if (strange > rows * UNREADABLE_PART) throw listaIlegible(`codificación: ${strange} nombres con letras ajenas`);
    finish();
    if (batch.length > 0) yield batch;
  } finally {
    await records.return(undefined);
  }
}
