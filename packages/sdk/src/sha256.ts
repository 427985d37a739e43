/** Words of the fractional parts of the roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
function rootWords(count: number, root: number): Int32Array {
  const words = new Int32Array(count);
  for (let n = 2, found = 0; found < count; n += 1) {
    let isPrime = true;
    for (let by = 2; by * by <= n; by += 1) if (n % by === 0) isPrime = false;
    if (isPrime) words[found++] = (n ** (1 / root) % 1) * 2 ** 32;
  }
  return words;
}
const K = rootWords(64, 3);
const INITIAL = rootWords(8, 2);
const BLOCK = 64;

/**
 * SHA-256 of bytes that come in pieces (FIPS 180-4). WebCrypto wants them all at once, which a package of hundreds of
 * megabytes does not allow, and `node:crypto` is not in a browser.
 */
export function createSha256() {
  const state = INITIAL.slice();
  const words = new Int32Array(64);
  const pending = new Uint8Array(BLOCK);
  let filled = 0;
  let bytes = 0;

  function compress(block: Uint8Array, at: number): void {
    for (let t = 0; t < 16; t += 1) {
      const i = at + 4 * t;
      words[t] = (byte(block, i) << 24) | (byte(block, i + 1) << 16) | (byte(block, i + 2) << 8) | byte(block, i + 3);
    }
    for (let t = 16; t < 64; t += 1) {
      const x = word(words, t - 15);
      const y = word(words, t - 2);
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      words[t] = (word(words, t - 16) + s0 + word(words, t - 7) + s1) | 0;
    }
    let a = word(state, 0);
    let b = word(state, 1);
    let c = word(state, 2);
    let d = word(state, 3);
    let e = word(state, 4);
    let f = word(state, 5);
    let g = word(state, 6);
    let h = word(state, 7);
    for (let t = 0; t < 64; t += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const one = (h + s1 + ((e & f) ^ (~e & g)) + word(K, t) + word(words, t)) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    state[0] = word(state, 0) + a;
    state[1] = word(state, 1) + b;
    state[2] = word(state, 2) + c;
    state[3] = word(state, 3) + d;
    state[4] = word(state, 4) + e;
    state[5] = word(state, 5) + f;
    state[6] = word(state, 6) + g;
    state[7] = word(state, 7) + h;
  }

  function update(chunk: Uint8Array): void {
    bytes += chunk.length;
    let at = 0;
    if (filled > 0) {
      at = Math.min(BLOCK - filled, chunk.length);
      pending.set(chunk.subarray(0, at), filled);
      filled += at;
      if (filled < BLOCK) return;
      compress(pending, 0);
    }
    for (; at + BLOCK <= chunk.length; at += BLOCK) compress(chunk, at);
    pending.set(chunk.subarray(at));
    filled = chunk.length - at;
  }

  return {
    update,
    /** Bytes so far. */
    get bytes() {
      return bytes;
    },
    /** The digest in hexadecimal. Nothing can be added after it. */
    hex(): string {
      const bits = new DataView(new ArrayBuffer(8));
      bits.setUint32(0, Math.floor(bytes / 2 ** 29));
      bits.setUint32(4, bytes * 8);
      const zeros = (BLOCK + 55 - (bytes % BLOCK)) % BLOCK;
      update(new Uint8Array([0x80, ...new Uint8Array(zeros), ...new Uint8Array(bits.buffer)]));
      return [...state].map((value) => (value >>> 0).toString(16).padStart(8, '0')).join('');
    },
  };
}

const word = (words: Int32Array, at: number) => words[at] as number;
const byte = (bytes: Uint8Array, at: number) => bytes[at] as number;
