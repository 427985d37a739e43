/** Bytes of a chunk of rows. */
export const CHUNK_BYTES = 131_072;

/** Buffers of chunks, used again: a new one costs the kernel 32 pages, and V8 a collection after some hundred. */
export class BufferPool {
  readonly #free: Buffer[] = [];

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }

  /** Takes the buffer of a chunk back, once; the chunk must not be read afterwards. Ignores buffers of other sizes. */
  readonly give = ({ buffer }: Buffer): void => {
    if (buffer.byteLength === CHUNK_BYTES) this.#free.push(Buffer.from(buffer));
  };
}
