/** What can be bound to a ciphertext as associated data. */
export type CanonicalField = string | Date | null | Uint8Array;

const NULL_TAG = 0;
const TEXT_TAG = 1;
const INSTANT_TAG = 2;
const BYTES_TAG = 3;
const HEADER_BYTES = 5;

const INSTANT_BYTES = 8;
const LONE_SURROGATE = /\p{Surrogate}/u;

function lengthOf(field: CanonicalField): number {
  if (field === null) return 0;
  if (typeof field === 'string') return Buffer.byteLength(field, 'utf8');
  return field instanceof Date ? INSTANT_BYTES : field.length;
}

function tagOf(field: CanonicalField): number {
  if (field === null) return NULL_TAG;
  if (typeof field === 'string') return TEXT_TAG;
  return field instanceof Date ? INSTANT_TAG : BYTES_TAG;
}

function writeField(bytes: Buffer, field: string | Date | Uint8Array, offset: number): void {
  if (typeof field === 'string') {
    // A lone surrogate would become U+FFFD, and two different texts the same bytes.
    if (LONE_SURROGATE.test(field)) throw new TypeError('Text is not well-formed Unicode');
    bytes.write(field, offset, 'utf8');
  } else if (field instanceof Date) {
    const milliseconds = field.getTime();
    if (Number.isNaN(milliseconds)) throw new TypeError('Invalid date');
    bytes.writeBigInt64BE(BigInt(milliseconds), offset);
  } else bytes.set(field, offset);
}

/**
 * Encodes fields so that different lists never give the same bytes: each field is a tag (1), a length (4, big endian)
 * and its bytes. Text is UTF-8 as it is (no normalisation, no case folding), dates are milliseconds since 1970 in 8
 * bytes. The encoding of a list followed by the encoding of another is that of both lists, so that what does not change
 * can be encoded once. Throws TypeError for text that is not well-formed and for invalid dates.
 */
export function canonicalBytes(...fields: readonly CanonicalField[]): Buffer {
  const lengths = fields.map(lengthOf);
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + HEADER_BYTES + length, 0));
  let offset = 0;
  fields.forEach((field, index) => {
    const length = lengths[index] ?? 0;
    bytes[offset] = tagOf(field);
    bytes.writeUInt32BE(length, offset + 1);
    offset += HEADER_BYTES;
    if (field !== null) writeField(bytes, field, offset);
    offset += length;
  });
  return bytes;
}
