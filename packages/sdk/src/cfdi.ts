import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { AcuseError } from './errors.ts';
import type { ConteoXml } from './generated/openapi.ts';

/** A CFDI of a package. */
export interface Cfdi {
  /** In capitals. */
  readonly uuid: string;
  /** In the ZIP, as in the column `xml` of the metadata: `cfdi/AAAA-MM/UUID.xml`. */
  readonly ruta: string;
  /** The document, byte for byte as the SAT gave it. */
  readonly xml: Uint8Array;
}

/** A CFDI of the metadata whose XML is not in the package. */
export interface CfdiFaltante {
  readonly uuid: string;
  readonly motivo: keyof ConteoXml['por_motivo'];
}

/** An entry of the directory of a ZIP: PKWARE APPNOTE 6.3, 4.3.12. */
interface Entry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

/** Signatures, and bytes of the fixed part of each record. */
const LOCAL = { signature: 0x0403_4b50, bytes: 30 };
const RECORD = { signature: 0x0201_4b50, bytes: 46 };
const END = { signature: 0x0605_4b50, bytes: 22 };
const LOCATOR64 = { signature: 0x0706_4b50, bytes: 20 };
const END64 = { signature: 0x0606_4b50, bytes: 56 };
const IN_ZIP64 = 0xffff_ffff;
const WINDOW_BYTES = 262_144;
const CFDI = /^cfdi\/\d{4}-\d\d\/([\dA-F-]{36})\.xml$/;
const FALTANTES = 'faltantes.csv';

const damaged = (cause?: unknown) => new AcuseError({ nombre: 'PAQUETE_DANADO', cause });

/** The CFDI of a package that is stored in a file. Each is read when it is reached, so that memory stays flat. */
export class PaqueteCfdi {
  readonly ruta: string;

  /** @param ruta The ZIP, as `guardarPaquete` or `descargarCfdi` stored it. */
  constructor(ruta: string) {
    this.ruta = ruta;
  }

  /**
   * Every CFDI, in the order of the ZIP.
   *
   * @throws AcuseError `PAQUETE_DANADO` when the file is no longer the stored package.
   */
  async *cfdi(): AsyncGenerator<Cfdi, void, undefined> {
    for await (const [entry, data] of this.#entries((name) => CFDI.test(name))) {
      const xml = unpacked(entry, await data(0, entry.packedBytes));
      yield { uuid: CFDI.exec(entry.name)?.[1] ?? '', ruta: entry.name, xml };
    }
  }

  /**
   * Every CFDI of the metadata without XML, with its reason; none where metadata alone was asked for.
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

  /** The entries of some names, each with what reads so many bytes of its data from one on. */
  async *#entries(isWanted: (name: string) => boolean) {
    const file = await open(this.ruta);
    try {
      const { size } = await file.stat();
      const read = windowOf(file);
      for await (const entry of directoryOf(windowOf(file), size)) {
        if (!isWanted(entry.name)) continue;
        const local = await read(entry.offset, LOCAL.bytes);
        if (local.readUInt32LE(0) !== LOCAL.signature) throw damaged();
        const start = entry.offset + LOCAL.bytes + local.readUInt16LE(26) + local.readUInt16LE(28);
        yield [entry, (from: number, bytes: number) => read(start + from, bytes)] as const;
      }
    } finally {
      await file.close();
    }
  }
}

type Read = (at: number, bytes: number) => Promise<Buffer>;

/** Reads ahead: what follows in the file costs no read of its own. @throws AcuseError `PAQUETE_DANADO` behind its end. */
function windowOf(file: FileHandle): Read {
  let [start, window] = [0, Buffer.alloc(0)];
  return async (at, bytes) => {
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
  const end = size < END.bytes ? null : await read(size - END.bytes, END.bytes);
  if (end?.readUInt32LE(0) !== END.signature) throw damaged();
  let [count, at] = [end.readUInt16LE(10), end.readUInt32LE(16)];
  if (count === 0xffff || at === IN_ZIP64) {
    const locator = await read(size - END.bytes - LOCATOR64.bytes, LOCATOR64.bytes);
    if (locator.readUInt32LE(0) !== LOCATOR64.signature) throw damaged();
    const end64 = await read(Number(locator.readBigUInt64LE(8)), END64.bytes);
    if (end64.readUInt32LE(0) !== END64.signature) throw damaged();
    [count, at] = [Number(end64.readBigUInt64LE(32)), Number(end64.readBigUInt64LE(48))];
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
      name: rest.toString('utf8', 0, nameBytes),
      isDeflated: fixed.readUInt16LE(10) === 8,
      crc: fixed.readUInt32LE(16),
      packedBytes,
      bytes,
      offset,
    };
  }
}

/** Sizes and offset, those that need it from the ZIP64 field (4.5.3), which has them in this order. */
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

/** The same in pieces, for an entry that may be large. */
async function* contentOf({ isDeflated, packedBytes, crc }: Entry, data: Read): AsyncGenerator<Buffer> {
  async function* pieces() {
    for (let at = 0; at < packedBytes; at += WINDOW_BYTES)
      yield await data(at, Math.min(WINDOW_BYTES, packedBytes - at));
  }
  const source = isDeflated ? createInflateRaw() : null;
  if (source !== null) pipeline(Readable.from(pieces()), source, () => undefined);
  let sum = 0;
  try {
    for await (const chunk of source ?? pieces()) {
      sum = crc32(chunk as Buffer, sum);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw error instanceof AcuseError ? error : damaged(error);
  }
  if (sum !== crc) throw damaged();
}
