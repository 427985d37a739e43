import type { Readable } from 'node:stream';
import { PaqueteSatInvalido } from '@acuse/core';
import type { PaqueteLimits } from '../limits.ts';
import type { ObjectStore } from '../object-store.ts';
import { inflateEntry } from './inflate-entry.ts';
import { readDirectory, type ZipEntry } from './read-directory.ts';

const UUID = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}';
const MAIN_NAME = new RegExp(`^${UUID}[_-][0-9]{1,6}\\.txt$`, 'i');
const TERCEROS_NAME = new RegExp(`^${UUID}(?:[_-][0-9]{1,6})?_tercero\\.txt$`, 'i');

/** A text of the SAT inside one of its packages. */
export interface SatText {
  readonly name: string;
  readonly bytes: number;
  /** Its content, anew at every call; ends with an error when it is not whole. */
  open(signal: AbortSignal): Readable;
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
  const { stat, entries } = await readDirectory(store, objectKey, limits.maxEntries, signal);
  const isText = (entry: ZipEntry) => entry.bytes > 0 && (MAIN_NAME.test(entry.name) || TERCEROS_NAME.test(entry.name));
  const texts: { entry: ZipEntry; start: number }[] = [];
  for (const entry of entries.filter(isText)) {
    checkEntry(entry, objectKey);
    texts.push({ entry, start: await entry.locate() });
  }
  checkTogether(
    texts.map(({ entry }) => entry),
    objectKey,
    limits,
  );
  // Only the numbers are kept: an entry holds on to the end of its package, and a plan may have thousands of packages.
  const toText = ({ entry, start }: { entry: ZipEntry; start: number }): SatText => {
    const { name, bytes, crc32, compressedBytes, method } = entry;
    return {
      name,
      bytes,
      open(openSignal) {
        const range = { start, end: start + compressedBytes };
        const data = store.read(objectKey, stat.version, range, openSignal);
        return inflateEntry(data, {
          objectKey,
          name,
          bytes,
          crc32,
          compressedBytes,
          method,
          maxRatio: limits.maxRatio,
        });
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

function checkEntry(entry: ZipEntry, objectKey: string): void {
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
