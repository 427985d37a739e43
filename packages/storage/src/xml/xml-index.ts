import { MOTIVOS_FALTANTE, type MotivoFaltante } from '@acuse/core';

/** What is known of a UUID. */
export const KNOWN = {
  /** A row of the result has it. */
  row: 1,
  /** A row that the period or the filters leave out has it. */
  leftOut: 2,
  /** Its XML is in the ZIP. */
  delivered: 4,
  /** A member named after it is no CFDI that can be read. */
  unreadable: 8,
} as const;

/** The place of the reason why the XML of a row is missing, as 1 + its index in {@link MOTIVOS_FALTANTE}. */
const MOTIVO_SHIFT = 4;

const FIRST_CAPACITY = 1_024;
const HASH_BYTES = 32;
/** Months are counted from its first. */
const FIRST_YEAR = 2000;
/** Differs in each process, and with it the slots of UUIDs. */
const SEED = Math.trunc(Math.random() * 0x7fff_ffff);

/**
 * The UUIDs of a package and the facts about each, in the order of their first mention. Numbers in arrays, 63 to
 * 126 bytes for a UUID: a million of them as strings of JavaScript are more memory than a worker may have.
 */
export class XmlIndex {
  /** UUIDs met. */
  length = 0;
  /** Place + 1 of the UUID in each slot of an open hash table; 0 in an empty one. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  #uuids = new Uint32Array(4 * FIRST_CAPACITY);
  #known = new Uint8Array(FIRST_CAPACITY);
  #months = new Uint16Array(FIRST_CAPACITY);
  #bytes = new Uint32Array(FIRST_CAPACITY);
  #hashes = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);
  readonly #words = new Uint32Array(4);
  readonly #text = Buffer.alloc(16);

  /** The place of the UUID whose 36 characters stand at `at`; hexadecimal digits of any case. */
  placeOf(text: Uint8Array, at: number): number {
    const words = this.#words;
    for (let word = 0, i = at; word < 4; word++) {
      let value = 0;
      for (let digit = 0; digit < 8; i++) {
        const byte = text[i] as number;
        if (byte === DASH) continue;
        value = (value << 4) | ((byte & 0xf) + (byte > NINE ? 9 : 0));
        digit++;
      }
      words[word] = value;
    }
    return this.#find();
  }

  #find(): number {
    const [a, b, c, d] = this.#words as unknown as [number, number, number, number];
    const uuids = this.#uuids;
    const mask = this.#slots.length - 1;
    let slot = Math.imul(
      a ^ Math.imul(b ^ Math.imul(c ^ Math.imul(d ^ SEED, 0x9e3779b1), 0x85ebca6b), 0xc2b2ae35),
      0x27d4eb2f,
    );
    slot = (slot ^ (slot >>> 15)) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] as number) - 1;
      if (place < 0) break;
      const at = 4 * place;
      if (uuids[at] === a && uuids[at + 1] === b && uuids[at + 2] === c && uuids[at + 3] === d) return place;
    }
    if (this.length === this.#known.length) {
      this.#grow();
      return this.#find();
    }
    this.#slots[slot] = ++this.length;
    this.#uuids.set(this.#words, 4 * (this.length - 1));
    return this.length - 1;
  }

  #grow(): void {
    const capacity = 2 * this.#known.length;
    const [uuids, count] = [this.#uuids, this.length];
    this.#known = enlarged(this.#known, new Uint8Array(capacity));
    this.#months = enlarged(this.#months, new Uint16Array(capacity));
    this.#bytes = enlarged(this.#bytes, new Uint32Array(capacity));
    this.#hashes = enlarged(this.#hashes, Buffer.alloc(capacity * HASH_BYTES));
    this.#uuids = new Uint32Array(4 * capacity);
    this.#slots = new Uint32Array(2 * capacity);
    const words = this.#words.slice();
    for (this.length = 0; this.length < count; ) {
      this.#words.set(uuids.subarray(4 * this.length, 4 * this.length + 4));
      this.#find();
    }
    this.#words.set(words);
  }

  has(place: number, known: number): boolean {
    return ((this.#known[place] as number) & known) !== 0;
  }

  mark(place: number, known: number): void {
    this.#known[place] = (this.#known[place] as number) | known;
  }

  /** Why the XML is missing; null while no reason was given. */
  motivoOf(place: number): MotivoFaltante | null {
    return MOTIVOS_FALTANTE[((this.#known[place] as number) >> MOTIVO_SHIFT) - 1] ?? null;
  }

  setMotivo(place: number, motivo: MotivoFaltante): void {
    this.mark(place, (MOTIVOS_FALTANTE.indexOf(motivo) + 1) << MOTIVO_SHIFT);
  }

  /** Marks the UUID as delivered; the month of `fecha`, `yyyy-MM…`, and the document's size and SHA-256 are kept. */
  deliver(place: number, fecha: string, bytes: number, sha256: Buffer): void {
    this.mark(place, KNOWN.delivered);
    this.#months[place] = (Number(fecha.slice(0, 4)) - FIRST_YEAR) * 12 + Number(fecha.slice(5, 7)) - 1;
    this.#bytes[place] = bytes;
    this.#hashes.set(sha256, place * HASH_BYTES);
  }

  /** Whether the delivered document has this SHA-256. */
  isSame(place: number, sha256: Buffer): boolean {
    return sha256.equals(this.#hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES));
  }

  /** Size of the delivered document. */
  bytesAt(place: number): number {
    return this.#bytes[place] as number;
  }

  /** SHA-256 of the delivered document, lower-case hex. */
  sha256At(place: number): string {
    return this.#hashes.toString('hex', place * HASH_BYTES, (place + 1) * HASH_BYTES);
  }

  /** In capitals, with dashes. */
  uuidAt(place: number): string {
    for (let word = 0; word < 4; word++) this.#text.writeUInt32BE(this.#uuids[4 * place + word] as number, 4 * word);
    const hex = this.#text.toString('hex').toUpperCase();
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  /** Path in the ZIP of the delivered document. */
  pathAt(place: number): string {
    return `${this.folderAt(place)}${this.uuidAt(place)}.xml`;
  }

  /** Folder of the delivered document: `cfdi/yyyy-MM/`. */
  folderAt(place: number): string {
    const month = this.#months[place] as number;
    const year = FIRST_YEAR + Math.floor(month / 12);
    return `cfdi/${year}-${String((month % 12) + 1).padStart(2, '0')}/`;
  }
}

const DASH = 0x2d;
const NINE = 0x39;

function enlarged<T extends Uint8Array | Uint16Array | Uint32Array>(before: T, after: T): T {
  after.set(before);
  return after;
}
