import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What went past a {@link Meter}. */
export interface Measure {
  readonly bytes: number;
  /** SHA-256, lower-case hex. */
  readonly sha256: string;
  /** CRC-32 as in a ZIP, unsigned. */
  readonly crc32: number;
}

/** Counts and hashes bytes on their way. */
export class Meter {
  #hash = createHash('sha256');
  #bytes = 0;
  #crc = 0;

  update(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#crc = crc32(chunk, this.#crc);
    this.#bytes += chunk.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes and SHA-256 up to now; more may follow. */
  get soFar(): Pick<Measure, 'bytes' | 'sha256'> {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  /** To be called once, at the end. */
  finish(): Measure {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex'), crc32: this.#crc };
  }
}
