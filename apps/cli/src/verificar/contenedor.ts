/** Largest value of 32 bits: ZIP64 takes over above it (APPNOTE 6.3, 4.4.1.4). */
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
const UTF8_NAME = 0x0800;
const DATA_DESCRIPTOR = 0x0008;
/** 1980-01-01 00:00, the time of every entry, as date and time of DOS. */
const DOS_DATE = 0x0021;
/** A regular file of mode 0644. */
const ATTRIBUTES = 0x81a4_0020;

export const END_BYTES = 22;
export const END_64_BYTES = 56 + 20;
export const CENTRAL_BYTES = 46;
const ZIP64_EXTRA_BYTES = 28;
const ZIP64_SMALL_BYTES = 12;

/** The file is no ZIP as the service writes it: a reader cannot go on behind the place that the message names. */
export class AlteredZip extends Error {
  constructor(texto: string) {
    super(texto);
    this.name = 'AlteredZip';
  }
}

/** One entry of a ZIP, as its central header describes it. */
export interface Miembro {
  readonly nombre: Buffer;
  /** 0 stored, 8 deflated. */
  readonly metodo: number;
  /** Written whole from memory: its local header has sizes and CRC-32. */
  readonly isSmall: boolean;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Where its local header begins. */
  readonly offset: number;
}

/** Place and length of the central directory. */
export interface Directory {
  readonly entradas: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Little-endian fields `[bytes, value]`, one after another. */
function fields(...all: readonly (readonly [2 | 4 | 8, number])[]): Buffer {
  const out = Buffer.alloc(all.reduce((sum, [size]) => sum + size, 0));
  let at = 0;
  for (const [size, value] of all) {
    if (size === 8) out.writeBigUInt64LE(BigInt(value), at);
    else out.writeUIntLE(value, at, size);
    at += size;
  }
  return out;
}

/** Sizes and CRC-32 stand behind the data, where the writer did not know them before it. */
const flagsOf = ({ nombre, isSmall }: Miembro) =>
  (isSmall ? 0 : DATA_DESCRIPTOR) | (nombre.some((byte) => byte > 0x7f) ? UTF8_NAME : 0);
const isLarge = ({ compressedBytes, bytes }: Miembro) => compressedBytes > MAX_32 || bytes > MAX_32;

/** The local header that our writer gives an entry (packages/storage, zip-writer.ts). */
export function localHeaderOf(miembro: Miembro): Buffer {
  const { nombre, metodo, isSmall, crc32, compressedBytes, bytes } = miembro;
  const sizes = isSmall ? [crc32, compressedBytes, bytes] : [0, 0, 0];
  const head = fields(
    [4, 0x04034b50],
    ...([20, flagsOf(miembro), metodo, 0, DOS_DATE].map((value) => [2, value]) as [2, number][]),
    ...(sizes.map((value) => [4, value]) as [4, number][]),
    [2, nombre.length],
    [2, 0],
  );
  return Buffer.concat([head, nombre]);
}

/** The descriptor behind the data of an entry; a small one has none. */
export function descriptorOf(miembro: Miembro): Buffer {
  if (miembro.isSmall) return Buffer.alloc(0);
  const size = isLarge(miembro) ? 8 : 4;
  return fields([4, 0x08074b50], [4, miembro.crc32], [size, miembro.compressedBytes], [size, miembro.bytes]);
}

/** The ZIP64 field of a central header: of a small entry the offset alone. */
function extraOf(miembro: Miembro): Buffer {
  const { isSmall, compressedBytes, bytes, offset } = miembro;
  if (isSmall) return offset >= MAX_32 ? fields([2, 1], [2, 8], [8, offset]) : Buffer.alloc(0);
  if (!isLarge(miembro) && offset <= MAX_32) return Buffer.alloc(0);
  return fields([2, 1], [2, 24], [8, bytes], [8, compressedBytes], [8, offset]);
}

/** The header of an entry in the central directory. */
export function centralHeaderOf(miembro: Miembro): Buffer {
  const { nombre, metodo, isSmall, crc32, compressedBytes, bytes, offset } = miembro;
  const extra = extraOf(miembro);
  const version = extra.length > 0 ? 45 : 20;
  const hides = extra.length > 0 && !isSmall;
  const head = fields(
    [4, 0x02014b50],
    // Archiver says that it knows ZIP64 in each entry.
    ...([0x0300 | (isSmall ? version : 45), version, flagsOf(miembro), metodo, 0, DOS_DATE].map((value) => [
      2,
      value,
    ]) as [2, number][]),
    ...([crc32, hides ? MAX_32 : compressedBytes, hides ? MAX_32 : bytes].map((value) => [4, value]) as [4, number][]),
    ...([nombre.length, extra.length, 0, 0, 0].map((value) => [2, value]) as [2, number][]),
    [4, ATTRIBUTES],
    [4, extra.length > 0 ? MAX_32 : offset],
  );
  return Buffer.concat([head, nombre, extra]);
}

/** Everything behind the central directory. */
export function endOf({ entradas, offset, bytes }: Directory): Buffer {
  if (entradas <= MAX_16 && offset <= MAX_32 && bytes <= MAX_32) {
    const count = [2, entradas] as const;
    return fields([4, 0x06054b50], [2, 0], [2, 0], count, count, [4, bytes], [4, offset], [2, 0]);
  }
  return fields(
    ...([
      [4, 0x06064b50],
      [8, 44],
      [2, 45],
      [2, 45],
      [4, 0],
      [4, 0],
      [8, entradas],
      [8, entradas],
    ] as const),
    ...([
      [8, bytes],
      [8, offset],
    ] as const),
    ...([
      [4, 0x07064b50],
      [4, 0],
      [8, offset + bytes],
      [4, 1],
    ] as const),
    ...([
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, MAX_16],
      [2, MAX_16],
      [4, MAX_32],
      [4, MAX_32],
      [2, 0],
    ] as const),
  );
}

/** A field of ZIP64. @throws AlteredZip for what no file is long enough for. */
function read64(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > Number.MAX_SAFE_INTEGER) throw new AlteredZip('Un campo del ZIP fue alterado: su valor no es posible.');
  return Number(value);
}

/** Reads the length of a central header from its first {@link CENTRAL_BYTES}: header, name and extra field. */
export const centralLengthOf = (head: Buffer): number =>
  CENTRAL_BYTES + head.readUInt16LE(28) + Math.min(head.readUInt16LE(30), ZIP64_EXTRA_BYTES);

/** Reads a whole central header. Nothing is checked: compare it with {@link centralHeaderOf}. */
export function readCentral(header: Buffer): Miembro {
  const extra = CENTRAL_BYTES + header.readUInt16LE(28);
  const isWide = header.length - extra === ZIP64_EXTRA_BYTES;
  const isMoved = header.length - extra === ZIP64_SMALL_BYTES;
  return {
    nombre: header.subarray(CENTRAL_BYTES, extra),
    metodo: header.readUInt16LE(10),
    isSmall: (header.readUInt16LE(8) & DATA_DESCRIPTOR) === 0,
    crc32: header.readUInt32LE(16),
    compressedBytes: isWide ? read64(header, extra + 12) : header.readUInt32LE(20),
    bytes: isWide ? read64(header, extra + 4) : header.readUInt32LE(24),
    offset: isWide ? read64(header, extra + 20) : isMoved ? read64(header, extra + 4) : header.readUInt32LE(42),
  };
}

/** Reads where the central directory is from the last bytes of a file. Nothing is checked: compare with {@link endOf}. */
export function readEnd(tail: Buffer): Directory {
  const end = tail.subarray(-END_BYTES);
  const own = { entradas: end.readUInt16LE(10), bytes: end.readUInt32LE(12), offset: end.readUInt32LE(16) };
  if (own.offset !== MAX_32 || tail.length < END_BYTES + END_64_BYTES) return own;
  const record = tail.subarray(-(END_BYTES + END_64_BYTES));
  return { entradas: read64(record, 32), bytes: read64(record, 40), offset: read64(record, 48) };
}
