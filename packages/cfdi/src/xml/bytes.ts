import { isUtf8 } from 'node:buffer';
import { XmlIlegible } from '../ilegible.ts';

/** Bytes of a document: some 30,000 concepts with their taxes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Bytes of an XML declaration, which has three attributes of a few letters. */
const MAX_DECLARATION = 1024;
const FIRST_SIZE = 64 * 1024;
const NOTHING = new Uint8Array(0);

const DECLARATION =
  /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.0"|'1\.0')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([\w.-]+)"|'([\w.-]+)'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>$/;

/**
 * Chunks of a document as whole sequences of UTF-8, in one buffer that the next document uses again. A zero byte stands
 * behind the last one, so that loops over the buffer need no other bound.
 */
export class Bytes {
  buffer = Buffer.alloc(FIRST_SIZE);
  /** Bytes that may be read now. */
  end = 0;
  #total = 0;
  /** A sequence of UTF-8 that the last chunk broke off, or a document too short to know its encoding. */
  #rest: Uint8Array = NOTHING;
  #encoding: 'utf8' | 'latin1' | null = null;

  reset(): void {
    this.end = 0;
    this.#total = 0;
    this.#rest = NOTHING;
    this.#encoding = null;
  }

  /** Drops the first `used` bytes and adds those of a chunk. Throws XmlIlegible for their encoding and size. */
  add(chunk: Uint8Array, used: number): void {
    this.#total += chunk.length;
    if (this.#total > MAX_BYTES) throw new XmlIlegible('DEMASIADO_GRANDE');
    this.buffer.copyWithin(0, used, this.end);
    this.end -= used;
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const body = this.#encoding === null ? this.#open(bytes) : bytes;
    if (this.#encoding === null) this.#rest = bytes.slice();
    else this.#append(this.#encoding === 'latin1' ? Buffer.from(Buffer.from(body).toString('latin1')) : body);
  }

  /** Throws TRUNCADO if bytes remain that are no whole sequence. */
  finish(): void {
    if (this.#rest.length > 0) throw new XmlIlegible(this.#encoding === null ? 'NO_ES_XML' : 'TRUNCADO');
  }

  #append(bytes: Uint8Array): void {
    const whole = wholeLength(bytes);
    this.#rest = whole === bytes.length ? NOTHING : bytes.slice(whole);
    const added = whole === bytes.length ? bytes : bytes.subarray(0, whole);
    if (!isUtf8(added)) throw new XmlIlegible('CODIFICACION');
    if (this.end + whole >= this.buffer.length) {
      const larger = Buffer.alloc(2 * (this.end + whole));
      this.buffer.copy(larger, 0, 0, this.end);
      this.buffer = larger;
    }
    this.buffer.set(added, this.end);
    this.end += whole;
    this.buffer[this.end] = 0;
  }

  /** The bytes behind mark and declaration; sets the encoding, unless both may go on in the next chunk. */
  #open(bytes: Uint8Array): Uint8Array {
    const [a = 0, b = 0, c] = bytes;
    if ((a === 0xfe && b === 0xff) || (a === 0xff && b === 0xfe)) throw new XmlIlegible('CODIFICACION');
    const isMarked = a === 0xef && b === 0xbb && c === 0xbf;
    const body = isMarked ? bytes.subarray(3) : bytes;
    const head = Buffer.from(body.subarray(0, MAX_DECLARATION)).toString('latin1');
    if (head.length < '<?xml '.length) return body;
    this.#encoding = 'utf8';
    if (!/^<\?xml[ \t\r\n]/.test(head)) return body;
    const length = head.indexOf('?>') + 2;
    if (length === 1 && head.length < MAX_DECLARATION) this.#encoding = null;
    else this.#encoding = encodingOf(head.slice(0, Math.max(0, length)), isMarked);
    return body.subarray(length);
  }
}

function encodingOf(declaration: string, isMarked: boolean): 'utf8' | 'latin1' {
  const found = DECLARATION.exec(declaration);
  if (found === null) throw new XmlIlegible('NO_ES_XML');
  const name = (found[1] ?? found[2] ?? 'utf-8').toLowerCase();
  if (name === 'utf-8' || name === 'utf8') return 'utf8';
  if (name === 'iso-8859-1' && !isMarked) return 'latin1';
  throw new XmlIlegible('CODIFICACION');
}

/** Bytes before a sequence of UTF-8 that the end breaks off. */
function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
