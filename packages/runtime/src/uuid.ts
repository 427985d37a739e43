import { randomFillSync } from 'node:crypto';

/** What the generator needs from outside: the clock (ms since 1970) and a source of random bytes. */
interface UuidSources {
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
}

const ID_BYTES = 16;
const COUNTER_LIMIT = 0x1000;

const POOL_BYTES = 4_096;

/**
 * Hands out random bytes from a pool, since each call of the system's generator costs as much as a whole identifier.
 * Bytes are zeroed in the pool once handed out.
 */
function createRandomPool(): (size: number) => Uint8Array {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  let used = POOL_BYTES;
  return (size) => {
    if (size > POOL_BYTES - used) {
      randomFillSync(pool);
      used = 0;
    }
    const end = used + size;
    const bytes = Buffer.from(pool.subarray(used, end));
    pool.fill(0, used, end);
    used = end;
    return bytes;
  };
}

/**
 * Makes a generator of UUIDs version 7 (RFC 9562 section 5.7): 48 bits of Unix time in milliseconds,
 * a 12-bit counter seeded at random each millisecond (section 6.2, method 1), 62 random bits.
 * One generator's values sort as text in the order in which they were made, even when the clock goes back.
 */
export function createUuidV7(sources: Partial<UuidSources> = {}): () => string {
  const { now = Date.now, random = createRandomPool() } = sources;
  let lastMs = -1;
  let counter = 0;

  return () => {
    const bytes = Buffer.from(random(ID_BYTES));
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      // The upper half of the counter starts empty, so that one millisecond has room for 2,048 values at least.
      counter = bytes.readUInt16BE(6) & 0x7ff;
    } else if (++counter === COUNTER_LIMIT) {
      lastMs += 1;
      counter = 0;
    }
    bytes.writeUIntBE(lastMs, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}

/** The process-wide generator: every part of a process shares its order. */
export const uuidV7: () => string = createUuidV7();
