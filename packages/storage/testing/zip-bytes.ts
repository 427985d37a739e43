import { buffer as readAll } from 'node:stream/consumers';
import { crc32, deflateRawSync } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

/** An entry of a ZIP made by hand, with every field that a test may want to be wrong. */
export interface RawEntry {
  readonly name: string;
  readonly content: Buffer | string;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly declaredBytes?: number;
  readonly declaredCompressedBytes?: number;
  readonly offset?: number;
  /** Bytes behind the end of the deflated data that the directory counts to it. */
  readonly trailing?: Buffer;
}

/** A ZIP of these entries, byte by byte after PKWARE's APPNOTE 6.3, so that it can lie. */
export function zipBytes(entries: readonly RawEntry[], comment = ''): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content);
    const name = Buffer.from(entry.name);
    const method = entry.method ?? 8;
    const data = method === 8 ? Buffer.concat([deflateRawSync(content), entry.trailing ?? Buffer.alloc(0)]) : content;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE((entry.flags ?? 0) | 0x800, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(0x00_21_00_00, 6);
    common.writeUInt32LE(entry.crc ?? crc32(content), 10);
    common.writeUInt32LE(entry.declaredCompressedBytes ?? data.length, 14);
    common.writeUInt32LE(entry.declaredBytes ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    local.push(signature(0x04034b50), common, name, data);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(entry.offset ?? offset, 10);
    central.push(signature(0x02014b50), Buffer.from([20, 3]), common, tail, name);
    offset += 4 + common.length + name.length + data.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  end.writeUInt16LE(Buffer.byteLength(comment), 16);
  return Buffer.concat([...local, directory, signature(0x06054b50), end, Buffer.from(comment)]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Every entry of a ZIP by name, in its order, read by yauzl; with `raw`, its data as it lies in the ZIP. */
export async function readZip(bytes: Buffer, { raw = false } = {}): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(bytes);
  const entries = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const options = raw && entry.compressionMethod === 8 ? { decompress: false } : {};
    entries.set(entry.fileName, await readAll(await zip.openReadStreamPromise(entry, options)));
  }
  return entries;
}
