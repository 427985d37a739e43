import { PassThrough, pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { PaqueteSatInvalido } from '@acuse/core';
import { type Measure, Meter } from '../meter.ts';
import type { ObjectStore } from '../object-store.ts';
import { readDirectory, type ZipEntry } from './read-directory.ts';

/** How large a package of the SAT may be before it is refused instead of read. */
export interface PaqueteLimits {
  /** Bytes of the package as the SAT gives it. */
  readonly maxPackageBytes: number;
  /** Bytes of all its recognised files, inflated. */
  readonly maxInflatedBytes: number;
  /** Inflated bytes for each compressed byte of a text, once it has inflated to a MiB. XML may repeat itself more. */
  readonly maxRatio: number;
  /** Files in the package, recognised or not. */
  readonly maxEntries: number;
  /** Records in its file of third parties, which are held in memory together. */
  readonly maxTerceros: number;
  /** Bytes of RFCs and names of those third parties. */
  readonly maxTercerosBytes: number;
}

/** Far above what the SAT gives (a request for metadata has at most a million CFDI), far below what would do harm. */
export const DEFAULT_LIMITS: PaqueteLimits = {
  maxPackageBytes: 1_073_741_824,
  maxInflatedBytes: 4_294_967_296,
  maxRatio: 100,
  maxEntries: 1_000,
  maxTerceros: 500_000,
  maxTercerosBytes: 67_108_864,
};

const UUID = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}';
const MAIN_NAME = new RegExp(`^${UUID}[_-][0-9]{1,6}\\.txt$`, 'i');
const TERCEROS_NAME = new RegExp(`^${UUID}(?:[_-][0-9]{1,6})?_tercero\\.txt$`, 'i');

/** A text of the SAT inside one of its packages. */
export interface SatText {
  readonly name: string;
  readonly bytes: number;
  /**
   * Opens the content from its beginning at every call. The stream ends with an error when the content is not whole.
   */
  open(signal: AbortSignal): Readable;
  /** Its content as the SAT deflated it. Null until the content was read to its end, and when it is not deflated. */
  readonly deflated: DeflatedText | null;
}

interface DeflatedText {
  /** What it inflates to. */
  readonly measure: Measure;
  /** Reads the data from its beginning at every call. Fails at the end when it differs from the inflated content. */
  open(signal: AbortSignal): AsyncIterable<Buffer>;
}

/** A package of metadata, opened: its texts in the order of its directory. */
export interface SatPackage {
  readonly objectKey: string;
  /** `<UUID>_01.txt`, also seen as `<UUID>-0001.txt`: the CFDI. At least one. */
  readonly metadata: readonly SatText[];
  /** `<UUID>_tercero.txt`: on whose account some were issued. */
  readonly terceros: readonly SatText[];
  /** Names of the entries that are neither, or empty. */
  readonly ignored: readonly string[];
}

/**
 * Opens a package of metadata of the SAT in object storage without fetching its data. Names as in the packages that
 * phpcfdi/sat-ws-descarga-masiva was tested with; entries with other names and empty ones are passed over, as readers
 * of those packages have to. Throws `PaqueteSatInvalido`.
 */
export async function openSatPackage(
  store: ObjectStore,
  objectKey: string,
  limits: PaqueteLimits,
  signal: AbortSignal,
): Promise<SatPackage> {
  const { stat, locate, ...directory } = await readDirectory(store, objectKey, limits.maxEntries, signal);
  const entries: ZipEntry[] = [];
  for await (const entry of directory.entries()) entries.push(entry);
  const isText = (entry: ZipEntry) => entry.bytes > 0 && (MAIN_NAME.test(entry.name) || TERCEROS_NAME.test(entry.name));
  const texts: { entry: ZipEntry; start: number }[] = [];
  for (const entry of entries.filter(isText)) {
    checkEntry(entry, objectKey);
    texts.push({ entry, start: await locate(entry) });
  }
  checkTogether(
    texts.map(({ entry }) => entry),
    objectKey,
    limits,
  );
  const toText = ({ entry, start }: { entry: ZipEntry; start: number }): SatText => {
    const { name, bytes, crc32, compressedBytes, method } = entry;
    const range = { start, end: start + compressedBytes };
    const openData = (openSignal: AbortSignal) => store.read(objectKey, stat.version, range, openSignal);
    let deflated: DeflatedText | null = null;
    return {
      name,
      bytes,
      open: (openSignal) =>
        inflateEntry(openData(openSignal), {
          objectKey,
          name,
          bytes,
          crc32,
          compressedBytes,
          method,
          maxRatio: limits.maxRatio,
          whole(measure, dataCrc32) {
            if (method !== 0) deflated = { measure, open: (again) => sameData(openData(again), objectKey, dataCrc32) };
          },
        }),
      get deflated() {
        return deflated;
      },
    };
  };
  return {
    objectKey,
    metadata: texts.filter(({ entry }) => MAIN_NAME.test(entry.name)).map(toText),
    terceros: texts.filter(({ entry }) => TERCEROS_NAME.test(entry.name)).map(toText),
    ignored: entries.filter((entry) => !isText(entry)).map((entry) => entry.name),
  };
}

/**
 * Texts of a package that have the name of metadata and are about something else: passed over and noted as long as
 * another one is metadata.
 */
export class ForeignTexts {
  readonly #satPackage: SatPackage;
  readonly #names: string[] = [];

  constructor(satPackage: SatPackage) {
    this.#satPackage = satPackage;
  }

  /**
   * Notes a text whose reading failed with `error`. Throws that unless the text is a foreign one, and when the package
   * has no other.
   */
  add(text: SatText, error: unknown): void {
    const isForeign = error instanceof PaqueteSatInvalido && error.motivo === 'SIN_METADATA';
    if (!isForeign || this.#names.length + 1 === this.#satPackage.metadata.length) throw error;
    this.#names.push(text.name);
  }

  get names(): readonly string[] {
    return this.#names;
  }
}

/** Throws `PaqueteSatInvalido` for an entry that is encrypted or compressed by another method than deflate. */
export function checkEntry(entry: ZipEntry, objectKey: string): void {
  if (entry.isEncrypted) throw new PaqueteSatInvalido('NO_ES_ZIP', objectKey, `${entry.name} está cifrado`);
  if (entry.method !== 0 && entry.method !== 8) {
    throw new PaqueteSatInvalido('NO_ES_ZIP', objectKey, `${entry.name} usa el método de compresión ${entry.method}`);
  }
}

function checkTogether(texts: readonly ZipEntry[], objectKey: string, limits: PaqueteLimits): void {
  const names = new Set(texts.map((entry) => entry.name.toLowerCase()));
  if (names.size < texts.length)
    throw new PaqueteSatInvalido('NO_ES_ZIP', objectKey, 'tiene dos archivos con el mismo nombre');
  const bytes = texts.reduce((sum, entry) => sum + entry.bytes, 0);
  if (bytes > limits.maxInflatedBytes) {
    throw new PaqueteSatInvalido(
      'DEMASIADO_GRANDE',
      objectKey,
      `son ${bytes} bytes y se admiten ${limits.maxInflatedBytes}`,
    );
  }
  if (!texts.some((entry) => MAIN_NAME.test(entry.name))) {
    throw new PaqueteSatInvalido('SIN_METADATA', objectKey, 'no tiene ningún archivo <UUID>_nn.txt con contenido');
  }
}

/** Inflated bytes at a time, and how many may wait for the consumer while the next are inflated in the thread pool. */
const CHUNK_BYTES = 131_072;
const AHEAD_BYTES = 524_288;

/** A ratio says nothing about a file that is smaller than this when inflated. Bytes. */
const RATIO_FROM_BYTES = 1_048_576;

interface InflateOptions {
  readonly objectKey: string;
  readonly name: string;
  readonly method: number;
  readonly compressedBytes: number;
  /** As the directory of the ZIP has them: the inflated bytes have to agree. */
  readonly bytes: number;
  readonly crc32: number;
  /** Inflated bytes for each compressed one, from a MiB on; unlimited when absent. */
  readonly maxRatio?: number;
  /** Receives the measure of the content at its end, unless something follows it in the data. */
  whole?(measure: Measure, dataCrc32: number): void;
}

/**
 * The content of an entry from its data in the ZIP. Its limits are enforced on the bytes that really come out, and its
 * size and CRC-32 are compared at the end: a consumer that saw the stream end has the content that was packed. Fails
 * with `PaqueteSatInvalido`, or with the error of `data`.
 */
export function inflateEntry(data: Readable, options: InflateOptions): Readable {
  const { objectKey, name, method, compressedBytes } = options;
  const inflate: Transform & { readonly bytesWritten?: number } =
    method === 0
      ? new PassThrough()
      : createInflateRaw({ chunkSize: CHUNK_BYTES, highWaterMark: AHEAD_BYTES } as Parameters<
          typeof createInflateRaw
        >[0]);
  let dataCrc32 = 0;
  data.on('data', (chunk: Buffer) => {
    dataCrc32 = crc32(chunk, dataCrc32);
  });
  const check = new CheckedContent(options, (measure) => {
    if (inflate.bytesWritten === compressedBytes) options.whole?.(measure, dataCrc32);
  });
  inflate.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'Z_BUF_ERROR') {
      check.destroy(new PaqueteSatInvalido('TRUNCADO', objectKey, `${name} termina antes de tiempo`, error));
    } else if (error.code?.startsWith('Z_') === true) {
      check.destroy(new PaqueteSatInvalido('CRC', objectKey, `los datos comprimidos de ${name} están dañados`, error));
    }
  });
  return pipeline(data, inflate, check, () => undefined);
}

/** The data of a read before, compared with it by its CRC-32: another read of the storage, but the same bytes. */
async function* sameData(data: Readable, objectKey: string, expected: number): AsyncGenerator<Buffer, void, undefined> {
  let found = 0;
  for await (const chunk of data as AsyncIterable<Buffer>) {
    found = crc32(chunk, found);
    yield chunk;
  }
  if (found !== expected) throw new Error(`the storage gave other bytes of ${objectKey} when it was read again`);
}

class CheckedContent extends Transform {
  readonly #options: InflateOptions;
  readonly #whole: (measure: Measure) => void;
  readonly #meter = new Meter();

  constructor(options: InflateOptions, whole: (measure: Measure) => void) {
    // By chunks: what waits would else be copied into one buffer for each reader.
    super({
      writableHighWaterMark: AHEAD_BYTES,
      readableObjectMode: true,
      readableHighWaterMark: AHEAD_BYTES / CHUNK_BYTES,
    });
    this.#options = options;
    this.#whole = whole;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    const { objectKey, name, bytes, compressedBytes, maxRatio = Number.POSITIVE_INFINITY } = this.#options;
    this.#meter.update(chunk);
    const given = this.#meter.bytes;
    if (given > bytes) {
      const detalle = `${name} da más de los ${bytes} bytes que anuncia`;
      callback(new PaqueteSatInvalido('DEMASIADO_GRANDE', objectKey, detalle));
    } else if (given > RATIO_FROM_BYTES && given > maxRatio * compressedBytes) {
      const detalle = `${name} da más de ${maxRatio} bytes por cada byte comprimido`;
      callback(new PaqueteSatInvalido('DEMASIADO_GRANDE', objectKey, detalle));
    } else {
      callback(null, chunk);
    }
  }

  override _flush(callback: TransformCallback): void {
    const { objectKey, name, bytes, crc32: announced } = this.#options;
    const measure = this.#meter.finish();
    if (measure.bytes < bytes) {
      callback(new PaqueteSatInvalido('TRUNCADO', objectKey, `${name} da ${measure.bytes} bytes y anuncia ${bytes}`));
    } else if (measure.crc32 !== announced) {
      callback(new PaqueteSatInvalido('CRC', objectKey, `el CRC-32 de ${name} no es el que anuncia`));
    } else {
      this.#whole(measure);
      callback();
    }
  }
}
