/** Writes DER (X.690) for test certificates and for key files that OpenSSL 3 no longer writes. */

export function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

export const sequence = (...contents: readonly Buffer[]) => der(0x30, ...contents);
export const set = (...contents: readonly Buffer[]) => der(0x31, ...contents);
export const octets = (bytes: Buffer) => der(0x04, bytes);
export const bits = (bytes: Buffer, unused = 0) => der(0x03, Buffer.from([unused]), bytes);
export const boolean = (value: boolean) => der(0x01, Buffer.from([value ? 0xff : 0]));
export const utf8 = (text: string) => der(0x0c, Buffer.from(text));
export const printable = (text: string) => der(0x13, Buffer.from(text, 'latin1'));
export const nothing = () => der(0x05);

/** A positive INTEGER from a number or from big-endian bytes. */
export function integer(value: number | Buffer): Buffer {
  const hex = typeof value === 'number' ? value.toString(16) : value.toString('hex');
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return der(0x02, Buffer.from((bytes[0] ?? 0) >= 0x80 ? [0] : []), bytes);
}

/** `1.2.840.113549` and so on. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...arcs].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) {
      groups.unshift(0x80 | (rest & 0x7f));
    }
    return groups;
  });
  return der(0x06, Buffer.from(bytes));
}

/** UTCTime before 2050, GeneralizedTime from then on (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : der(0x18, Buffer.from(`${digits}Z`));
}
