import type { RfcsListados } from './riesgo.ts';

/** Slots for each RFC: so few are taken that a search sees two of them on average. */
const SLOTS = 2;

const EMPTY = 0;

/**
 * The 32 bits that stand for some bytes: FNV-1a, mixed as MurmurHash3 ends, so that RFCs, which differ in few places, lie
 * apart. Never {@link EMPTY}.
 */
function fingerprint(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash = (hash ^ (hash >>> 16)) >>> 0;
  return hash === EMPTY ? 1 : hash;
}

/**
 * RFCs by a fingerprint of 32 bits each, in one array that never grows: eight to sixteen bytes an RFC, and nothing for
 * the garbage collector to walk. With a million of them an RFC that is none of them is taken for one once in 4,000 times.
 */
export class RfcsPorHuella implements RfcsListados {
  readonly #slots: Uint32Array;
  readonly #room: number;
  /** Fingerprints that are in it. */
  size = 0;

  /** @param cuantos Capacity in RFCs. */
  constructor(cuantos: number) {
    this.#room = Math.max(1, cuantos);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(this.#room * SLOTS)));
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** Throws a RangeError when there is no room for it. */
  add(rfc: string): void {
    const bytes = Buffer.from(rfc);
    const wanted = fingerprint(bytes, 0, bytes.length);
    const at = this.#find(wanted);
    if (this.#slots[at] === wanted) return;
    if (this.size === this.#room) throw new RangeError(`there is room for ${this.#room} RFCs`);
    this.#slots[at] = wanted;
    this.size++;
  }

  has(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#slots[this.#find(fingerprint(bytes, start, end))] !== EMPTY;
  }

  /** The slot of a fingerprint, or the empty one where it would be. */
  #find(wanted: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = wanted & mask;
    for (;;) {
      const there = slots[at];
      if (there === wanted || there === EMPTY) return at;
      at = (at + 1) & mask;
    }
  }
}
