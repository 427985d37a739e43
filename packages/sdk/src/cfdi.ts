import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { AcuseError } from './errors.ts';
import type { ConteoXml } from './generated/openapi.ts';

/** A CFDI of a package. */
export interface Cfdi {
  /** In capitals. */
  readonly uuid: string;
  /** Path in the ZIP, as in the column `xml` of the metadata: `cfdi/AAAA-MM/UUID.xml`. */
  readonly ruta: string;
  /** The document, with the bytes of the SAT. */
  readonly xml: Uint8Array;
}

/** A CFDI of the metadata whose XML is not in the package. */
export interface CfdiFaltante {
  readonly uuid: string;
  readonly motivo: keyof ConteoXml['por_motivo'];
}

/** A record of the directory of a ZIP: PKWARE APPNOTE 6.3, 4.3.12. */
interface Entry {
  /** A character for each byte. */
  readonly name: string;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

/** Signature of each record, and bytes of its fixed part. */
const LOCAL = { signature: 0x0403_4b50, bytes: 30 };
const RECORD = { signature: 0x0201_4b50, bytes: 46 };
const END = { signature: 0x0605_4b50, bytes: 22 };
const LOCATOR64 = { signature: 0x0706_4b50, bytes: 20 };
const END64 = { signature: 0x0606_4b50, bytes: 56 };
const IN_ZIP64 = 0xffff_ffff;
const WINDOW_BYTES = 262_144;
/** Most bytes that Node reads at once. */
const READ_BYTES = 0x7fff_ffff;
const CFDI = /^cfdi\/\d{4}-\d\d\/([\dA-F-]{36})\.xml$/;
const FALTANTES = 'faltantes.csv';

const damaged = (cause?: unknown) => new AcuseError({ nombre: 'PAQUETE_DANADO', cause });

/** The CFDI of a package in a file. The iteration reads one CFDI at a time: memory does not grow with their number. */
export class PaqueteCfdi {
  readonly ruta: string;

  /** @param ruta Path of the ZIP that `guardarPaquete` or `descargarCfdi` stored. */
  constructor(ruta: string) {
    this.ruta = ruta;
  }

  /**
   * Every CFDI, in the order of the ZIP.
   *
   * @throws AcuseError `PAQUETE_DANADO` when the directory of the ZIP, a name or a CFDI is damaged; the CFDI before the
   *   damage come first.
   */
  async *cfdi(): AsyncGenerator<Cfdi, void, undefined> {
    for await (const [entry, data] of this.#entries((name) => CFDI.test(name))) {
      const xml = unpacked(entry, await data(0, entry.packedBytes));
      yield { uuid: CFDI.exec(entry.name)?.[1] ?? '', ruta: entry.name, xml };
    }
  }

  /**
   * Every CFDI of the metadata without XML, with its reason; none in a package without XML.
   *
   * @throws AcuseError `PAQUETE_DANADO` as {@link cfdi}.
   */
  async *faltantes(): AsyncGenerator<CfdiFaltante, void, undefined> {
    for await (const [entry, data] of this.#entries((name) => name === FALTANTES)) {
      let rest = '';
      let isHeader = true;
      for await (const chunk of contentOf(entry, data)) {
        const lines = `${rest}${chunk.toString('latin1')}`.split('\r\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const [uuid = '', motivo = ''] = line.split(',');
          if (!isHeader) yield { uuid, motivo: motivo as CfdiFaltante['motivo'] };
          isHeader = false;
        }
      }
    }
  }

  /**
   * The wanted entries, each with a function that reads a range of its data. A damaged name can hide a wanted entry, so
   * the names of other entries are checked as well. One damaged byte cannot make it the name of a CFDI.
   */
  async *#entries(isWanted: (name: string) => boolean) {
    const file = await open(this.ruta);
    try {
      const { size } = await file.stat();
      const read = windowOf(file, size);
      for await (const entry of directoryOf(windowOf(file, size), size)) {
        const { name, offset } = entry;
        if (!isWanted(name) && CFDI.test(name)) continue;
        const local = await read(offset, LOCAL.bytes + name.length);
        const isSame = local.readUInt16LE(26) === name.length && local.toString('latin1', LOCAL.bytes) === name;
        if (local.readUInt32LE(0) !== LOCAL.signature || !isSame) throw damaged();
        const start = offset + local.length + local.readUInt16LE(28);
        if (isWanted(name)) yield [entry, (from: number, bytes: number) => read(start + from, bytes)] as const;
      }
    } finally {
      await file.close();
    }
  }
}

type Read = (at: number, bytes: number) => Promise<Buffer>;

/** Reads ranges of a file, and ahead of each. @throws AcuseError `PAQUETE_DANADO` for a range outside of the file. */
function windowOf(file: FileHandle, size: number): Read {
  let [start, window] = [0, Buffer.alloc(0)];
  return async (at, bytes) => {
    if (at < 0 || at + bytes > size || bytes > READ_BYTES) throw damaged();
    if (at < start || at + bytes > start + window.length) {
      const { buffer, bytesRead } = await file.read({
        buffer: Buffer.alloc(Math.max(bytes, WINDOW_BYTES)),
        position: at,
      });
      [start, window] = [at, buffer.subarray(0, bytesRead)];
      if (bytesRead < bytes) throw damaged();
    }
    return window.subarray(at - start, at - start + bytes);
  };
}

async function* directoryOf(read: Read, size: number): AsyncGenerator<Entry, void, undefined> {
  // A ZIP of the service ends without a comment.
  let end = size - END.bytes;
  const record = await read(end, END.bytes);
  if (record.readUInt32LE(0) !== END.signature) throw damaged();
  let [count, at] = [record.readUInt16LE(10), record.readUInt32LE(16)];
  if (count === 0xffff || at === IN_ZIP64) {
    const locator = await read(end - LOCATOR64.bytes, LOCATOR64.bytes);
    // A ZIP of 65,535 entries has no ZIP64.
    if (locator.readUInt32LE(0) === LOCATOR64.signature) {
      end = Number(locator.readBigUInt64LE(8));
      const end64 = await read(end, END64.bytes);
      if (end64.readUInt32LE(0) !== END64.signature) throw damaged();
      [count, at] = [Number(end64.readBigUInt64LE(32)), Number(end64.readBigUInt64LE(48))];
    }
  }
  for (; count > 0; count -= 1) {
    const fixed = await read(at, RECORD.bytes);
    if (fixed.readUInt32LE(0) !== RECORD.signature) throw damaged();
    const [nameBytes, extraBytes] = [fixed.readUInt16LE(28), fixed.readUInt16LE(30)];
    const rest = await read(at + RECORD.bytes, nameBytes + extraBytes);
    at += RECORD.bytes + nameBytes + extraBytes + fixed.readUInt16LE(32);
    const sizes = [fixed.readUInt32LE(24), fixed.readUInt32LE(20), fixed.readUInt32LE(42)];
    const [bytes = 0, packedBytes = 0, offset = 0] = wide(sizes, rest.subarray(nameBytes));
    yield {
      name: rest.toString('latin1', 0, nameBytes),
      isDeflated: fixed.readUInt16LE(10) === 8,
      crc: fixed.readUInt32LE(16),
      packedBytes,
      bytes,
      offset,
    };
  }
  if (at !== end) throw damaged();
}

/** Size, packed size and offset; the ZIP64 field (4.5.3) has the large ones in this order. */
function wide(values: readonly number[], extra: Buffer): number[] {
  if (!values.includes(IN_ZIP64)) return [...values];
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2);
  at += 4;
  return values.map((value) => {
    if (value !== IN_ZIP64) return value;
    at += 8;
    if (at > extra.length) throw damaged();
    return Number(extra.readBigUInt64LE(at - 8));
  });
}

/** The content of an entry from its data. @throws AcuseError `PAQUETE_DANADO` for another size or CRC-32. */
function unpacked({ isDeflated, bytes, crc }: Entry, data: Buffer): Buffer {
  let content: Buffer;
  try {
    content = isDeflated ? inflateRawSync(data, { maxOutputLength: Math.max(1, bytes) }) : data;
  } catch (error) {
    throw damaged(error);
  }
  if (content.length !== bytes || crc32(content) !== crc) throw damaged();
  return content;
}

/** The content of a large entry in pieces, checked by its size and CRC-32. @throws AcuseError `PAQUETE_DANADO` */
async function* contentOf({ isDeflated, packedBytes, bytes, crc }: Entry, data: Read): AsyncGenerator<Buffer> {
  async function* pieces() {
    for (let at = 0; at < packedBytes; at += WINDOW_BYTES)
      yield await data(at, Math.min(WINDOW_BYTES, packedBytes - at));
  }
  const source = isDeflated ? createInflateRaw() : null;
  if (source !== null) pipeline(Readable.from(pieces()), source, () => undefined);
  let [sum, came] = [0, 0];
  try {
    for await (const chunk of source ?? pieces()) {
      came += chunk.length;
      if (came > bytes) throw damaged();
      sum = crc32(chunk as Buffer, sum);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw error instanceof AcuseError ? error : damaged(error);
  }
  if (came !== bytes || sum !== crc) throw damaged();
}
