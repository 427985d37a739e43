import { createHash } from 'node:crypto';

/** Eight 32-bit words from a text, the root of everything that is generated from it. */
export function keyOf(...parts: readonly (string | number)[]): Uint32Array {
  const digest = createHash('sha256').update(parts.join('\u0000')).digest();
  return Uint32Array.from({ length: 8 }, (_, i) => digest.readUInt32LE(i * 4));
}

/** A word of a key; the index wraps, so that every index is good. */
export function word(key: Uint32Array, index: number): number {
  return key[index & 7] ?? 0;
}

/** Scrambles a 32-bit number; for one `key` different numbers always give different results. */
export function mix(key: number, n: number): number {
  let x = (n ^ key) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** The inverse of `mix`: finds a row from its UUID without an index. */
export function unmix(key: number, mixed: number): number {
  let x = mixed ^ (mixed >>> 16);
  x = Math.imul(x, 0x43021123);
  x ^= (x >>> 15) ^ (x >>> 30);
  x = Math.imul(x, 0x1d69e2a5);
  return (x ^ (x >>> 16) ^ key) >>> 0;
}
