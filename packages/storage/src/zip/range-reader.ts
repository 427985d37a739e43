import { buffer as readAll } from 'node:stream/consumers';
import { RandomAccessReader } from 'yauzl';
import type { ObjectStat, ObjectStore } from '../object-store.ts';

/**
 * Read at once from the end of the object: the largest comment a ZIP may have, and the directories of ordinary ones.
 * Bytes.
 */
const TAIL_BYTES = 131_072;

/**
 * The random access that yauzl wants, made of ranged reads of a stored object. Holds the end of the object in memory.
 */
export class RangeReader extends RandomAccessReader {
  /** A read went past the end of the object: the ZIP says that there is more of it. */
  isPastEnd = false;
  /** Why the storage did not answer, when that is what made a read fail. */
  storageError: unknown;
  readonly #store: ObjectStore;
  readonly #key: string;
  readonly #stat: ObjectStat;
  readonly #signal: AbortSignal;
  #tail: Promise<Buffer> | null = null;

  constructor(store: ObjectStore, key: string, stat: ObjectStat, signal: AbortSignal) {
    super();
    this.#store = store;
    this.#key = key;
    this.#stat = stat;
    this.#signal = signal;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.bytes(position, position + length).then(
      (bytes) => {
        bytes.copy(target, offset);
        callback(null, bytes.length);
      },
      (error: Error) => callback(error),
    );
  }

  /** The bytes from `start` up to but not including `end`, fewer when the object ends before. */
  async bytes(start: number, end: number): Promise<Buffer> {
    const { bytes: size, version } = this.#stat;
    if (end > size) this.isPastEnd = true;
    const until = Math.min(end, size);
    if (start >= until) return Buffer.alloc(0);
    try {
      const tailStart = Math.max(0, size - TAIL_BYTES);
      if (start < tailStart) {
        return await readAll(this.#store.read(this.#key, version, { start, end: until }, this.#signal));
      }
      this.#tail ??= readAll(this.#store.read(this.#key, version, { start: tailStart, end: size }, this.#signal));
      return (await this.#tail).subarray(start - tailStart, until - tailStart);
    } catch (error) {
      this.storageError = error;
      throw error;
    }
  }
}
