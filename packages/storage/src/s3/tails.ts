import type { ObjectStat } from '../object-store.ts';

/** Bytes fetched from the end of an object: all of a small one, and the directory of a large ZIP. */
export const TAIL_BYTES = 1_048_576;

/** Bytes held by one store. */
const MAX_BYTES = 8 * TAIL_BYTES;

interface Tail {
  readonly version: string;
  readonly start: number;
  readonly bytes: Buffer;
  /** The whole object, as this process wrote it. */
  readonly isWritten: boolean;
}

/** Ends of objects by key and version; the oldest make room. A package is read from its end, and a small one four times. */
export class Tails {
  readonly #tails = new Map<string, Tail>();
  #held = 0;

  /** Holds the bytes of an object from `start` to its end. */
  set(key: string, version: string, start: number, bytes: Buffer, isWritten = false): void {
    this.delete(key);
    this.#tails.set(key, { version, start, bytes, isWritten });
    this.#held += bytes.length;
    for (const oldest of this.#tails.keys()) {
      if (this.#held <= MAX_BYTES) return;
      this.delete(oldest);
    }
  }

  /** The object as this process wrote it; null when it is not held. */
  written(key: string): ObjectStat | null {
    const tail = this.#tails.get(key);
    return tail?.isWritten ? { bytes: tail.bytes.length, version: tail.version } : null;
  }

  /** The range of that version of an object; null when not all of it is held. */
  read(key: string, version: string, range: { readonly start: number; readonly end: number }): Buffer | null {
    const tail = this.#tails.get(key);
    if (tail === undefined || tail.version !== version || range.start < tail.start) return null;
    return tail.bytes.subarray(range.start - tail.start, range.end - tail.start);
  }

  delete(key: string): void {
    this.#held -= this.#tails.get(key)?.bytes.length ?? 0;
    this.#tails.delete(key);
  }
}
