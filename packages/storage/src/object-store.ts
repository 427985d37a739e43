import type { Readable } from 'node:stream';

/** State of an object. `version` changes when the object is overwritten with other bytes. */
export interface ObjectStat {
  readonly bytes: number;
  readonly version: string;
}

/** The few things that packages need of object storage. Every failure rejects; none leaves a partial object. */
export interface ObjectStore {
  /**
   * Null when there is no such object. May fetch its end, for the reads that follow. With `mayBeHeld` an object that is
   * held is not asked for.
   */
  stat(key: string, signal: AbortSignal, mayBeHeld?: boolean): Promise<ObjectStat | null>;

  /**
   * The bytes from `start` up to but not including `end`, which must be inside of the object. The stream ends with an
   * error when they cannot all be had, or when the object is no longer the one that `version` names.
   */
  read(key: string, version: string, range: { start: number; end: number }, signal: AbortSignal): Readable;

  /**
   * Stores the body under the key, and gives its version. Nothing becomes visible there unless the body ends without an
   * error.
   */
  write(key: string, body: Readable, signal: AbortSignal): Promise<string>;

  /** Holds the bytes of an object for a while, as this process wrote them. */
  hold(key: string, version: string, bytes: Buffer): void;

  /** Keys of the objects whose key begins with the prefix, in any order. */
  list(prefix: string, signal: AbortSignal): Promise<string[]>;

  /** Removes these objects; one that is not there counts as removed. */
  remove(keys: readonly string[]): Promise<void>;

  /** Removes every object whose key begins with the prefix, and uploads to such keys that never ended. */
  removePrefix(prefix: string): Promise<void>;
}
