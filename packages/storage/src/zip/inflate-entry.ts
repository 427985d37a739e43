import { PassThrough, pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { PaqueteSatInvalido } from '@acuse/core';

/** Inflated bytes at a time, and how many may wait for the consumer while the next are inflated in the thread pool. */
const CHUNK_BYTES = 131_072;
const AHEAD_BYTES = 524_288;

/** A ratio says nothing about a file that is smaller than this when inflated. Bytes. */
const RATIO_FROM_BYTES = 1_048_576;

export interface InflateOptions {
  readonly objectKey: string;
  readonly name: string;
  readonly method: number;
  readonly compressedBytes: number;
  /** As the directory of the ZIP has them: the inflated bytes have to agree. */
  readonly bytes: number;
  readonly crc32: number;
  readonly maxRatio: number;
}

/**
 * The content of an entry from its data in the ZIP. Its limits are enforced on the bytes that really come out, and its
 * size and CRC-32 are compared at the end: a consumer that saw the stream end has the content that was packed. Fails
 * with `PaqueteSatInvalido`, or with the error of `data`.
 */
export function inflateEntry(data: Readable, options: InflateOptions): Readable {
  const { objectKey, name, method } = options;
  const inflate: Transform =
    method === 0
      ? new PassThrough()
      : createInflateRaw({ chunkSize: CHUNK_BYTES, highWaterMark: AHEAD_BYTES } as Parameters<
          typeof createInflateRaw
        >[0]);
  const check = new CheckedContent(options);
  inflate.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'Z_BUF_ERROR') {
      check.destroy(new PaqueteSatInvalido('TRUNCADO', objectKey, `${name} termina antes de tiempo`, error));
    } else if (error.code?.startsWith('Z_') === true) {
      check.destroy(new PaqueteSatInvalido('CRC', objectKey, `los datos comprimidos de ${name} están dañados`, error));
    }
  });
  return pipeline(data, inflate, check, () => undefined);
}

class CheckedContent extends Transform {
  readonly #options: InflateOptions;
  #bytes = 0;
  #crc = 0;

  constructor(options: InflateOptions) {
    super({ highWaterMark: AHEAD_BYTES });
    this.#options = options;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    const { objectKey, name, bytes, compressedBytes, maxRatio } = this.#options;
    this.#bytes += chunk.length;
    this.#crc = crc32(chunk, this.#crc);
    if (this.#bytes > bytes) {
      const detalle = `${name} da más de los ${bytes} bytes que anuncia`;
      callback(new PaqueteSatInvalido('DEMASIADO_GRANDE', objectKey, detalle));
    } else if (this.#bytes > RATIO_FROM_BYTES && this.#bytes > maxRatio * compressedBytes) {
      const detalle = `${name} da más de ${maxRatio} bytes por cada byte comprimido`;
      callback(new PaqueteSatInvalido('DEMASIADO_GRANDE', objectKey, detalle));
    } else {
      callback(null, chunk);
    }
  }

  override _flush(callback: TransformCallback): void {
    const { objectKey, name, bytes } = this.#options;
    if (this.#bytes < bytes) {
      callback(new PaqueteSatInvalido('TRUNCADO', objectKey, `${name} da ${this.#bytes} bytes y anuncia ${bytes}`));
    } else if (this.#crc !== this.#options.crc32) {
      callback(new PaqueteSatInvalido('CRC', objectKey, `el CRC-32 de ${name} no es el que anuncia`));
    } else {
      callback();
    }
  }
}
