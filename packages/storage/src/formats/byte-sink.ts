const CHUNK_BYTES = 131_072;
const QUOTE = 0x22;

/** Bytes written one after another, given out in chunks: no string is made for a value. */
export class ByteSink {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  #done: Buffer[] = [];

  /** Makes room for so many bytes from {@link at} on. */
  reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    this.#flush();
    this.bytes = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, count));
  }

  /** Copies bytes for which there is room. */
  put(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Writes a number below 2^53 for which there is room. */
  putNumber(value: number): void {
    this.at += this.bytes.write(String(value), this.at, 'latin1');
  }

  /**
   * Copies the text of a CSV field, for which there is room, with `escapes` in place of the bytes that have one; of a
   * doubled quotation mark one is left out.
   */
  putEscaped(field: CsvField, escapes: readonly (Uint8Array | undefined)[]): void {
    const { source, start, end, doubled } = field;
    const out = this.bytes;
    let o = this.at;
    for (let i = start; i < end; i++) {
      const byte = source[i] as number;
      if (byte === QUOTE && doubled) i++;
      const escaped = escapes[byte];
      if (escaped === undefined) out[o++] = byte;
      else for (let k = 0; k < escaped.length; k++) out[o++] = escaped[k] as number;
    }
    this.at = o;
  }

  /** Returns the full buffers; with `all` everything written. */
  take(all = false): Buffer[] {
    if (all) this.#flush();
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #flush(): void {
    if (this.at === 0) return;
    this.#done.push(this.bytes.subarray(0, this.at));
    this.bytes = Buffer.alloc(0);
    this.at = 0;
  }
}

/** Where the text of a field is, and whether quotation marks in it are doubled. */
export interface CsvField {
  readonly source: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly doubled: boolean;
}
