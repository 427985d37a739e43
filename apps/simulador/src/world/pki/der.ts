/** Writers of the few DER forms that a certificate needs (ITU-T X.690). */
export function tlv(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const digits = body.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => tlv(0x30, ...content);
export const set = (...content: readonly Uint8Array[]): Buffer => tlv(0x31, ...content);
export const octetString = (content: Uint8Array): Buffer => tlv(0x04, content);
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.from([value ? 0xff : 0]));

/** A positive integer given as big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  return (bytes[0] ?? 0) >= 0x80 ? tlv(0x02, Buffer.from([0]), bytes) : tlv(0x02, bytes);
}

/** A bit string; `unused` is the number of meaningless bits at its end. */
export function bitString(content: Uint8Array, unused = 0): Buffer {
  return tlv(0x03, Buffer.from([unused]), content);
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return tlv(0x06, Buffer.from(bytes));
}

/** UTCTime before 2050, GeneralizedTime from then on, as RFC 5280 4.1.2.5 demands. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return date.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : tlv(0x18, Buffer.from(`${digits}Z`));
}
