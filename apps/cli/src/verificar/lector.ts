import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import {
  AlteredZip,
  CENTRAL_BYTES,
  centralHeaderOf,
  centralLengthOf,
  type Directory,
  descriptorOf,
  END_64_BYTES,
  END_BYTES,
  endOf,
  localHeaderOf,
  type Miembro,
  readCentral,
  readEnd,
} from './contenedor.ts';

const CHUNK_BYTES = 262_144;
/** Members up to these sizes are inflated at once, which is several times as fast for small XML. */
const SMALL_BYTES = 1_048_576;
const SMALL_INFLATED_BYTES = 16_777_216;

/** Measure of one member, read to its end. */
export interface Medida {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Receives the inflated content of a member in chunks. */
export type Recibe = (chunk: Buffer) => void;

/** Reads a file forwards from a place. */
class Cursor {
  readonly #file: number;
  #buffer: Buffer = Buffer.alloc(0);
  offset: number;
  /** Sees each byte once, in order. */
  readonly #see: Recibe;

  constructor(file: number, offset: number, see: Recibe = () => {}) {
    this.#file = file;
    this.offset = offset;
    this.#see = see;
  }

  /** Up to `most` bytes, at least one. @throws AlteredZip at the end of the file. */
  some(most: number): Buffer {
    if (this.#buffer.length === 0) {
      const left = fstatSync(this.#file).size - this.offset;
      const room = Buffer.allocUnsafe(Math.max(0, Math.min(CHUNK_BYTES, left)));
      this.#buffer = room.subarray(0, readSync(this.#file, room, 0, room.length, this.offset));
      if (this.#buffer.length === 0) throw new AlteredZip(`El archivo termina en el byte ${this.offset}, a la mitad.`);
    }
    const chunk = this.#buffer.subarray(0, most);
    this.#buffer = this.#buffer.subarray(chunk.length);
    this.offset += chunk.length;
    this.#see(chunk);
    return chunk;
  }

  take(bytes: number): Buffer {
    const chunks: Buffer[] = [];
    for (const chunk of this.chunks(bytes)) chunks.push(chunk);
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  }

  *chunks(bytes: number): Generator<Buffer, void, undefined> {
    for (let left = bytes; left > 0; ) {
      const chunk = this.some(left);
      left -= chunk.length;
      yield chunk;
    }
  }

  /** Reads what must be there. @throws AlteredZip for anything else. */
  expect(expected: Buffer, que: string): void {
    const at = this.offset;
    if (!this.take(expected.length).equals(expected)) throw new AlteredZip(`${que}, en el byte ${at}, fue alterado.`);
  }
}

/** A ZIP of the service, opened for one strict reading: every byte is either checked or hashed. */
export function openZip(path: string) {
  const file = openSync(path, 'r');
  const { size: bytes } = fstatSync(file);
  const prefix = createHash('sha256');
  let walk: Cursor | undefined;

  /** Where the directory is; the end of the file is exactly what follows from that. */
  function readDirectory(): Directory {
    const tailBytes = Math.min(bytes, END_BYTES + END_64_BYTES);
    if (tailBytes < END_BYTES) throw new AlteredZip('El archivo no es un ZIP: es demasiado corto.');
    const directory = readEnd(new Cursor(file, bytes - tailBytes).take(tailBytes));
    const from = directory.offset + directory.bytes;
    const end = endOf(directory);
    if (from + end.length !== bytes || !new Cursor(file, from).take(end.length).equals(end))
      throw new AlteredZip('El final del archivo fue alterado, está cortado o tiene bytes de más.');
    return directory;
  }

  function* readMiembros({ entradas, offset, bytes: length }: Directory): Generator<Miembro, void, undefined> {
    const cursor = new Cursor(file, offset);
    const end = offset + length;
    for (let index = 0; index < entradas; index += 1) {
      const at = cursor.offset;
      if (at + CENTRAL_BYTES > end) throw new AlteredZip('Al directorio del ZIP le faltan miembros.');
      const head = cursor.take(CENTRAL_BYTES);
      const header = Buffer.concat([head, cursor.take(centralLengthOf(head) - CENTRAL_BYTES)]);
      const miembro = readCentral(header);
      if (!header.equals(centralHeaderOf(miembro)))
        throw new AlteredZip(`El directorio del ZIP, en el byte ${at}, fue alterado.`);
      yield miembro;
    }
    if (cursor.offset !== end) throw new AlteredZip('El directorio del ZIP tiene bytes de más.');
  }

  return {
    bytes,
    close: () => closeSync(file),

    /** SHA-256 of every byte before the member that `miembros` gave last, and their number. */
    prefijo: (): Medida => ({ bytes: walk?.offset ?? 0, sha256: prefix.copy().digest('hex') }),

    /**
     * Every member in order, each with the function that reads it, which must be called once before the next. @throws
     * AlteredZip for a byte that our writer would not have written there.
     */
    async *miembros(): AsyncGenerator<{ nombre: string; read: (recibe: Recibe) => Promise<Medida> }> {
      const directory = readDirectory();
      const cursor = new Cursor(file, 0, (chunk) => prefix.update(chunk));
      walk = cursor;
      for (const miembro of readMiembros(directory)) {
        const nombre = miembro.nombre.toString();
        if (miembro.offset !== cursor.offset)
          throw new AlteredZip(`${nombre}: hay bytes de más antes de él, o los miembros no están en su orden.`);
        yield { nombre, read: (recibe) => readMiembro(cursor, miembro, nombre, recibe) };
      }
      if (cursor.offset !== directory.offset) throw new AlteredZip('Hay bytes de más antes del directorio del ZIP.');
    },
  };
}

async function readMiembro(cursor: Cursor, miembro: Miembro, nombre: string, recibe: Recibe): Promise<Medida> {
  cursor.expect(localHeaderOf(miembro), `El encabezado de ${nombre}`);
  const hash = createHash('sha256');
  let [bytes, crc] = [0, 0];
  const see: Recibe = (chunk) => {
    bytes += chunk.length;
    if (bytes > miembro.bytes) throw new AlteredZip(`${nombre}: tiene más bytes de los que dice el directorio.`);
    hash.update(chunk);
    crc = crc32(chunk, crc);
    recibe(chunk);
  };
  if (miembro.metodo === 0) for (const chunk of cursor.chunks(miembro.compressedBytes)) see(chunk);
  else if (miembro.metodo === 8) await inflate(cursor, miembro, nombre, see);
  else throw new AlteredZip(`${nombre}: su método de compresión no es de este servicio.`);
  if (bytes !== miembro.bytes || crc !== miembro.crc32)
    throw new AlteredZip(`${nombre}: su tamaño o su CRC-32 no son los del directorio.`);
  cursor.expect(descriptorOf(miembro), `El descriptor de ${nombre}`);
  return { bytes, sha256: hash.digest('hex') };
}

async function inflate(
  cursor: Cursor,
  { compressedBytes, bytes }: Miembro,
  nombre: string,
  see: Recibe,
): Promise<void> {
  const broken = () => new AlteredZip(`${nombre}: sus datos comprimidos fueron alterados.`);
  let consumed: number;
  if (compressedBytes <= SMALL_BYTES && bytes <= SMALL_INFLATED_BYTES) {
    const data = cursor.take(compressedBytes);
    let inflated: { buffer: Buffer; engine: { bytesWritten: number } };
    try {
      // With `info` the answer has both, which the types do not know.
      inflated = inflateRawSync(data, {
        maxOutputLength: bytes + 1,
        chunkSize: Math.max(64, bytes + 1),
        info: true,
      }) as never;
    } catch {
      throw broken();
    }
    consumed = inflated.engine.bytesWritten;
    see(inflated.buffer);
  } else {
    const source = Readable.from(cursor.chunks(compressedBytes), { objectMode: false });
    const stream = createInflateRaw({ chunkSize: CHUNK_BYTES });
    source.once('error', (error) => stream.destroy(error));
    try {
      for await (const chunk of source.pipe(stream)) see(chunk as Buffer);
    } catch (error) {
      throw error instanceof AlteredZip ? error : broken();
    }
    consumed = stream.bytesWritten;
  }
  if (consumed !== compressedBytes) throw broken();
}
