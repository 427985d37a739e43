import { XmlIlegible } from '../ilegible.ts';

const XML = 'http://www.w3.org/XML/1998/namespace';
const XMLNS = 'http://www.w3.org/2000/xmlns/';
/** Names that a document may add to those known. A CFDI has some hundred. */
const MAX_NAMES = 10_000;
const BUCKETS = 4096;

const START =
  'A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}\\u{2070}-\\u{218f}' +
  '\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}';
const REST = `${START}\\-.\\d\\u{b7}\\u{300}-\\u{36f}\\u{203f}\\u{2040}`;
/** `QName` of Namespaces in XML 1.0, third edition. */
const QUALIFIED = new RegExp(`^(?:([${START}][${REST}]*):)?([${START}][${REST}]*)$`, 'u');

/** A namespace prefix with its present binding; the empty one is that of the default namespace. */
export interface Prefix {
  readonly text: string;
  /** Null while nothing binds the prefix. */
  uri: string | null;
}

/** A qualified name, one object for all its occurrences. */
export interface Name {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly hash: number;
  readonly prefix: Prefix;
  readonly local: string;
  /** The prefix that an attribute of this name binds; null for other attributes. */
  readonly declares: Prefix | null;
  readonly next: Name | null;
  /** Number of the last tag with an attribute of this name. */
  mark: number;
}

/** Finds names by their bytes, so that a name is decoded and checked once; keeps the bindings of their prefixes. */
export class Names {
  readonly #buckets: (Name | null)[] = new Array(BUCKETS).fill(null);
  readonly #prefixes = new Map<string, Prefix>();
  #count = 0;
  #countBefore = 0;
  /** Bindings before each declaration of the open elements. */
  readonly #undo: { prefix: Prefix; uri: string | null; depth: number }[] = [];

  constructor() {
    this.#clear();
  }

  /** Ends every binding. Call it between two documents. */
  reset(): void {
    this.unbind(0);
    if (this.#count > BUCKETS) this.#clear();
    this.#countBefore = this.#count;
  }

  #clear(): void {
    this.#buckets.fill(null);
    this.#count = 0;
    this.#prefixes.clear();
    this.prefix('').uri = '';
    this.prefix('xml').uri = XML;
    this.prefix('xmlns').uri = XMLNS;
  }

  /** The name that the bytes spell, with its hash. Throws NO_ES_XML, or DEMASIADO_GRANDE after too many names. */
  find(buffer: Buffer, start: number, end: number, hash: number): Name {
    const bucket = hash & (BUCKETS - 1);
    const first = this.#buckets[bucket] ?? null;
    for (let name = first; name !== null; name = name.next)
      if (name.hash === hash && isSame(name.bytes, buffer, start, end)) return name;
    const name = this.#create(buffer.subarray(start, end), hash, first);
    this.#buckets[bucket] = name;
    return name;
  }

  #create(bytes: Buffer, hash: number, next: Name | null): Name {
    const text = bytes.toString('utf8');
    const [, prefix = '', local = ''] = QUALIFIED.exec(text) ?? [];
    if (local === '') throw new XmlIlegible('NO_ES_XML');
    this.#count += 1;
    if (this.#count - this.#countBefore > MAX_NAMES) throw new XmlIlegible('DEMASIADO_GRANDE');
    const declares = text === 'xmlns' ? this.prefix('') : prefix === 'xmlns' ? this.prefix(local) : null;
    return { text, bytes: Uint8Array.from(bytes), hash, prefix: this.prefix(prefix), local, declares, next, mark: 0 };
  }

  prefix(text: string): Prefix {
    const known = this.#prefixes.get(text);
    if (known !== undefined) return known;
    const prefix: Prefix = { text, uri: null };
    this.#prefixes.set(text, prefix);
    return prefix;
  }

  /** Binds a prefix for the element at `depth` and what it contains. Throws NO_ES_XML for reserved prefixes and names. */
  bind(prefix: Prefix, uri: string, depth: number): void {
    const isReserved = prefix.text === 'xmlns' || (prefix.text === 'xml') !== (uri === XML) || uri === XMLNS;
    if (isReserved || (uri === '' && prefix.text !== '')) throw new XmlIlegible('NO_ES_XML');
    this.#undo.push({ prefix, uri: prefix.uri, depth });
    prefix.uri = uri;
  }

  /** Restores the bindings from before the element at `depth`. */
  unbind(depth: number): void {
    for (let last = this.#undo.at(-1); last !== undefined && last.depth >= depth; last = this.#undo.at(-1)) {
      last.prefix.uri = last.uri;
      this.#undo.pop();
    }
  }
}

export function isSame(bytes: Uint8Array, buffer: Buffer, start: number, end: number): boolean {
  if (bytes.length !== end - start) return false;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] !== buffer[start + at]) return false;
  return true;
}
