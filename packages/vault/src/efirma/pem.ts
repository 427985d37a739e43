import { decodeBase64 } from '../body/base64.ts';

const DASHES = '-----';

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/**
 * The bytes of the first PEM block with one of these labels (RFC 7468), or the input itself when it is not PEM. Null
 * when the block is not whole or not base64. Works on bytes only, since a block may hold a private key: zero the result
 * if it is not `bytes`.
 */
export function derOf(bytes: Buffer, labels: readonly string[]): Buffer | null {
  if (!bytes.includes(`${DASHES}BEGIN `)) return bytes;
  for (const label of labels) {
    const header = `${DASHES}BEGIN ${label}${DASHES}`;
    const begin = bytes.indexOf(header);
    if (begin < 0) continue;
    const start = begin + header.length;
    const end = bytes.indexOf(`${DASHES}END ${label}${DASHES}`, start);
    if (end < 0) return null;
    const text = Buffer.from(bytes.subarray(start, end).filter((byte) => !isBlank(byte)));
    const der = decodeBase64(text);
    text.fill(0);
    return der;
  }
  return null;
}
