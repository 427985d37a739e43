/** Largest object that is held, bytes. */
export const SMALL_BYTES = 1_048_576;

/** Bytes held by one store. */
const MAX_BYTES = 8 * SMALL_BYTES;

/** Bodies of small objects by key and version: a package is read four times in a row. The oldest ones make room. */
export class SmallObjects {
  readonly #bodies = new Map<string, { readonly version: string; readonly body: Buffer }>();
  #bytes = 0;

  set(key: string, version: string, body: Buffer): void {
    this.delete(key);
    this.#bodies.set(key, { version, body });
    this.#bytes += body.length;
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes <= MAX_BYTES) return;
      this.delete(oldest);
    }
  }

  /** Null when that version of the object is not held. */
  get(key: string, version: string): Buffer | null {
    const held = this.#bodies.get(key);
    return held?.version === version ? held.body : null;
  }

  delete(key: string): void {
    this.#bytes -= this.#bodies.get(key)?.body.length ?? 0;
    this.#bodies.delete(key);
  }
}
