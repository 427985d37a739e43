import { hkdfExpand, hkdfExtract } from '../crypto/hkdf.ts';

const VERSION_LABEL = Buffer.from('HPKE-v1');

/** I2OSP(value, 2) of RFC 8017: two bytes, big endian. */
export function twoBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** The suite_id of RFC 9180, 4.1 (`KEM`) and 5.1 (`HPKE`): a name and its algorithm numbers. */
export function suiteBytes(name: 'KEM' | 'HPKE', ...ids: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from(name), ...ids.map(twoBytes)]);
}

/** LabeledExtract of RFC 9180, 4, with HKDF-SHA256. */
export function labeledExtract(suite: Buffer, salt: Uint8Array, label: string, ikm: Uint8Array): Buffer {
  const labeled = Buffer.concat([VERSION_LABEL, suite, Buffer.from(label), ikm]);
  try {
    return hkdfExtract(salt, labeled);
  } finally {
    labeled.fill(0);
  }
}

/** LabeledExpand of RFC 9180, 4, with HKDF-SHA256. */
export function labeledExpand(suite: Buffer, prk: Uint8Array, label: string, info: Uint8Array, length: number): Buffer {
  const labeled = Buffer.concat([twoBytes(length), VERSION_LABEL, suite, Buffer.from(label), info]);
  return hkdfExpand(prk, labeled, length);
}
