/** What can be bound to a ciphertext as associated data. */
export type CanonicalField = string | Date | null | Uint8Array;

const NULL_TAG = 0;
const TEXT_TAG = 1;
const INSTANT_TAG = 2;
const BYTES_TAG = 3;
const HEADER_BYTES = 5;

function fieldBytes(field: CanonicalField): { tag: number; bytes: Uint8Array } {
  if (field === null) return { tag: NULL_TAG, bytes: new Uint8Array(0) };
  if (typeof field === 'string') {
    const bytes = Buffer.from(field, 'utf8');
    // A lone surrogate would become U+FFFD, and two different texts the same bytes.
    if (bytes.toString('utf8') !== field) throw new TypeError('Text is not well-formed Unicode');
    return { tag: TEXT_TAG, bytes };
  }
  if (field instanceof Date) {
    const milliseconds = field.getTime();
    if (Number.isNaN(milliseconds)) throw new TypeError('Invalid date');
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(BigInt(milliseconds));
    return { tag: INSTANT_TAG, bytes };
  }
  return { tag: BYTES_TAG, bytes: field };
}

/**
 * Encodes fields so that different lists never give the same bytes: each field is a tag (1), a length (4, big endian) and its
 * bytes. Text is UTF-8 as it is (no normalisation, no case folding), dates are milliseconds since 1970 in 8 bytes.
 * Throws TypeError for text that is not well-formed and for invalid dates.
 */
export function canonicalBytes(...fields: readonly CanonicalField[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const { tag, bytes } = fieldBytes(field);
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt8(tag, 0);
      header.writeUInt32BE(bytes.length, 1);
      return [header, bytes];
    }),
  );
}
