/** One element of a DER encoding (X.690): its tag and where its contents lie. */
export interface DerElement {
  readonly tag: number;
  readonly contents: Buffer;
  /** What follows the element. */
  readonly rest: Buffer;
}

export const DER_INTEGER = 0x02;
export const DER_OCTET_STRING = 0x04;
export const DER_OID = 0x06;
export const DER_SEQUENCE = 0x30;

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

/** The elements of a SEQUENCE's contents, or null when they are not whole. At most `limit` are read. */
export function readDerList(contents: Buffer, limit: number): readonly DerElement[] | null {
  const elements: DerElement[] = [];
  let rest = contents;
  while (rest.length > 0 && elements.length < limit) {
    const element = readDer(rest);
    if (element === null) return null;
    elements.push(element);
    rest = element.rest;
  }
  return elements;
}
