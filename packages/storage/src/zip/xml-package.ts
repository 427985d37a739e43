import type { Hash } from 'node:crypto';
import { crc32, inflateRawSync } from 'node:zlib';
import { PaqueteSatInvalido } from '@acuse/core';
import type { ObjectStore } from '../object-store.ts';
import { MemberList } from './member-list.ts';
import { LOCAL_BYTES, localHeaderBytes, readDirectory, type ZipDirectory, type ZipEntry } from './read-directory.ts';
import { checkEntry, type PaqueteLimits } from './sat-package.ts';

/** Files of a package of XML: the SAT packs at most 200,000 CFDI. */
const MAX_ENTRIES = 1_000_000;
/** A larger member is no CFDI that is read: it is not taken into memory. Bytes, compressed and inflated. */
const MAX_MEMBER_BYTES = 33_554_432;

const XML_NAME = /\.xml$/i;
const JUNK = /^__MACOSX\//i;

/** Whether an entry is taken for a CFDI: others are the junk that packages of the SAT are known to hold. */
const isXml = ({ name, bytes }: ZipEntry) => bytes > 0 && XML_NAME.test(name) && !JUNK.test(name);

/** A package of XML, opened. */
export interface XmlPackage {
  readonly objectKey: string;
  /** Size of the object. */
  readonly bytes: number;
  /** Its members in the order of their data. */
  readonly members: MemberList;
  /** Names of the other entries. */
  readonly ignored: readonly string[];
  /**
   * Reads the object once, by one stream. Yields the wanted members with their place in {@link members}, in that order;
   * those of more than 32 MiB come without data. `hash` takes all bytes of the object. Throws `PaqueteSatInvalido`.
   */
  read(
    wanted: (index: number) => boolean,
    signal: AbortSignal,
    hash?: Hash,
  ): AsyncGenerator<readonly [member: ZipEntry, data: Buffer | null, index: number], void, undefined>;
  readonly directory: ZipDirectory;
}

/** Opens a package of XML without reading its members. Throws `PaqueteSatInvalido`. */
export async function openXmlPackage(
  store: ObjectStore,
  objectKey: string,
  limits: PaqueteLimits,
  signal: AbortSignal,
): Promise<XmlPackage> {
  const directory = await readDirectory(store, objectKey, MAX_ENTRIES, signal);
  const members = new MemberList();
  const ignored: string[] = [];
  let inflated = 0;
  for await (const entry of directory.entries()) {
    if (!isXml(entry)) {
      ignored.push(entry.name);
      continue;
    }
    checkEntry(entry, objectKey);
    members.add(entry);
    inflated += entry.bytes;
  }
  if (inflated > limits.maxInflatedBytes) {
    const detalle = `son ${inflated} bytes y se admiten ${limits.maxInflatedBytes}`;
    throw new PaqueteSatInvalido('DEMASIADO_GRANDE', objectKey, detalle);
  }
  members.order();
  const { bytes, version } = directory.stat;
  const open = (again: AbortSignal) =>
    store.read(objectKey, version, { start: 0, end: bytes }, again) as AsyncIterable<Buffer>;
  return {
    objectKey,
    bytes,
    members,
    ignored,
    directory,
    read: (wanted, again, hash) => readMembers(new ForwardReader(open(again), hash), { objectKey, members, wanted }),
  };
}

interface Reading {
  readonly objectKey: string;
  readonly members: MemberList;
  readonly wanted: (index: number) => boolean;
}

async function* readMembers(
  reader: ForwardReader,
  { objectKey, members, wanted }: Reading,
): AsyncGenerator<readonly [ZipEntry, Buffer | null, number], void, undefined> {
  try {
    for (let index = 0; index < members.length; index++) {
      if (!wanted(index)) continue;
      const member = members.at(index);
      // Members that share bytes inflate the same data again and again.
      if (member.offset < reader.at) {
        throw new PaqueteSatInvalido('NO_ES_ZIP', objectKey, `${member.name} empieza dentro de otro archivo`);
      }
      await reader.skip(member.offset - reader.at);
      const header = await reader.take(LOCAL_BYTES);
      await reader.skip(localHeaderBytes(header, member, objectKey, false) - LOCAL_BYTES);
      const isTooLarge = Math.max(member.bytes, member.compressedBytes) > MAX_MEMBER_BYTES;
      const data = isTooLarge ? null : await reader.take(member.compressedBytes);
      if (isTooLarge) await reader.skip(member.compressedBytes);
      if (data !== null && data.length < member.compressedBytes) {
        throw new PaqueteSatInvalido('TRUNCADO', objectKey, `${member.name} termina antes de tiempo`);
      }
      yield [member, data, index];
    }
    await reader.end();
  } finally {
    await reader.close();
  }
}

/** A stream of bytes read forward, piece by piece, and hashed on the way. */
class ForwardReader {
  /** Offset of the next byte. */
  at = 0;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash: Hash | undefined;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>, hash: Hash | undefined) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#hash = hash;
  }

  /** The next bytes, fewer when the stream ends before. They stand until the next call. */
  async take(count: number): Promise<Buffer> {
    if (count <= this.#chunk.length) return this.#cut(count);
    const parts: Buffer[] = [];
    let left = count;
    do {
      const part = this.#cut(Math.min(left, this.#chunk.length));
      parts.push(part);
      left -= part.length;
    } while (left > 0 && (await this.#more()));
    return Buffer.concat(parts);
  }

  async skip(count: number): Promise<void> {
    let left = count;
    do left -= this.#cut(Math.min(left, this.#chunk.length)).length;
    while (left > 0 && (await this.#more()));
  }

  /** Reads the rest, when it is hashed. */
  async end(): Promise<void> {
    while (this.#hash !== undefined && (await this.#more()));
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #cut(count: number): Buffer {
    const piece = this.#chunk.subarray(0, count);
    this.#chunk = this.#chunk.subarray(count);
    this.at += count;
    return piece;
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    this.#hash?.update(next.value);
    this.#chunk = next.value;
    return true;
  }
}

/** A member that is whole: its content, and its data when that is nothing but the content deflated. */
export interface Inflated {
  readonly content: Buffer;
  readonly deflated: Buffer | null;
}

/**
 * The content of a member from its data. Throws `PaqueteSatInvalido` when it is damaged, or is not what the directory
 * announces.
 */
export function inflateMember(member: ZipEntry, data: Buffer, objectKey: string): Inflated {
  const { name, bytes, method } = member;
  const inflated = method === 0 ? { content: data, deflated: null } : inflate(member, data, objectKey);
  const { length } = inflated.content;
  if (length < bytes) {
    throw new PaqueteSatInvalido('TRUNCADO', objectKey, `${name} da ${length} bytes y anuncia ${bytes}`);
  }
  if (crc32(inflated.content) !== member.crc32) {
    throw new PaqueteSatInvalido('CRC', objectKey, `el CRC-32 de ${name} no es el que anuncia`);
  }
  return inflated;
}

function inflate({ name, bytes }: ZipEntry, data: Buffer, objectKey: string): Inflated {
  try {
    // One byte more than announced is room enough to know that there is more. zlib has 64 at least.
    const options = { chunkSize: Math.max(64, bytes + 1), maxOutputLength: bytes, info: true };
    const { buffer, engine } = inflateRawSync(data, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    return { content: buffer, deflated: engine.bytesWritten === data.length ? data : null };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      const detalle = `${name} da más de los ${bytes} bytes que anuncia`;
      throw new PaqueteSatInvalido('DEMASIADO_GRANDE', objectKey, detalle, error);
    }
    if (code === 'Z_BUF_ERROR') {
      throw new PaqueteSatInvalido('TRUNCADO', objectKey, `${name} termina antes de tiempo`, error);
    }
    throw new PaqueteSatInvalido('CRC', objectKey, `los datos comprimidos de ${name} están dañados`, error);
  }
}
