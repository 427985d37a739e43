/** One element of a DER encoding (X.690): its tag and where its contents lie. */
export interface DerElement {
  readonly tag: number;
  readonly contents: Buffer;
  /** What follows the element. */
  readonly rest: Buffer;
}

/** Reads one element of definite length with a one-byte tag, or returns null. Nothing is copied. */
export function readDer(bytes: Buffer): DerElement | null {
  const [tag, short] = bytes;
  if (tag === undefined || short === undefined || (tag & 0x1f) === 0x1f) return null;
  let start = 2;
  let length = short;
  if (short >= 0x80) {
    const size = short & 0x7f;
    if (size === 0 || size > 3 || bytes.length < start + size) return null;
    length = bytes.readUIntBE(start, size);
    start += size;
  }
  const end = start + length;
  if (end > bytes.length) return null;
  return { tag, contents: bytes.subarray(start, end), rest: bytes.subarray(end) };
}
