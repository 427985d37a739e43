import { XmlIlegible } from '../ilegible.ts';
import {
  AMP,
  APOS,
  BANG,
  BRACKET,
  DASH,
  EF,
  EQUAL,
  GREATER,
  isSpace,
  LESS,
  NAME,
  OPAQUE,
  QUESTION,
  QUOTE,
  SEMICOLON,
  SLASH,
  TEXT,
  VALUE,
} from './byte-classes.ts';
import { Bytes } from './bytes.ts';
import { isSame, type Name, Names } from './names.ts';
import { readValue, resolveReference } from './references.ts';

/** Open elements. Pagos 2.0 with the taxes of a document has eight. */
const MAX_DEPTH = 64;
/** A Comprobante has some twenty, and one for each namespace that it declares. */
const MAX_ATTRIBUTES = 256;
/** Bytes of an attribute. A certificate has some 3,000, a description at most 1,000 letters; an Addenda may hold more. */
const MAX_VALUE = 256 * 1024;
/** Bytes of a tag, which is kept until it is whole. */
const MAX_TAG = 1024 * 1024;
/** Bytes read at once, so that the buffer stays small. */
const MAX_PIECE = 64 * 1024;
/** Bytes of a reference: `&#x10FFFF;` has ten. */
const MAX_REFERENCE = 32;

/** The value of a hash before its first byte, so that no document can be made to collide. */
const SEED = Math.trunc(Math.random() * 0x7fffffff);

/** Where the bytes go: the content of elements, or the byte that ends a comment, a CDATA section, an instruction. */
type Mode = 0 | typeof DASH | typeof BRACKET | typeof QUESTION;

const malformed = () => new XmlIlegible('NO_ES_XML');

/** The value of an attribute without prefix of the tag that was just opened; null if it has none. */
export type ReadAttribute = (name: string) => string | null;
/** Called for each element in the order of the document; `depth` counts the elements around it. */
export type OpenElement = (uri: string, local: string, depth: number, read: ReadAttribute) => void;

/**
 * Reads XML 1.0 with namespaces from chunks of bytes and reports its elements. Throws XmlIlegible for malformed XML, a
 * DTD, or a passed limit; `reset` makes the scanner usable again. Texts are checked and not kept.
 */
export class Scanner {
  readonly #open: OpenElement;
  readonly #bytes = new Bytes();
  readonly #names = new Names();
  readonly #stack: Name[] = [];
  #buffer = this.#bytes.buffer;
  #at = 0;
  #depth = 0;
  #hasRoot = false;
  #mode: Mode = 0;
  #tag = 0;
  /** Bytes with which a long tag is read again, so that pieces do not make its time quadratic. */
  #retry = 0;
  /** The name that `#name` found. */
  #found: Name = this.#names.find(Buffer.from('_'), 0, 1, 0);
  readonly #attributes: Name[] = [];
  readonly #from = new Int32Array(MAX_ATTRIBUTES);
  readonly #to = new Int32Array(MAX_ATTRIBUTES);
  #count = 0;
  #declared = 0;
  #prefixed = 0;

  constructor(open: OpenElement) {
    this.#open = open;
  }

  reset(): void {
    this.#bytes.reset();
    this.#names.reset();
    this.#at = 0;
    this.#depth = 0;
    this.#hasRoot = false;
    this.#mode = 0;
    this.#retry = 0;
  }

  write(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; from += MAX_PIECE) {
      this.#bytes.add(chunk.subarray(from, from + MAX_PIECE), this.#at);
      this.#buffer = this.#bytes.buffer;
      this.#at = 0;
      if (this.#bytes.end >= this.#retry) this.#scan();
      if (this.#bytes.end - this.#at > MAX_TAG) throw new XmlIlegible('DEMASIADO_GRANDE');
    }
  }

  /** Throws unless the document is whole. */
  end(): void {
    this.#bytes.finish();
    this.#scan();
    if (this.#at < this.#bytes.end || this.#depth > 0 || this.#mode !== 0) throw new XmlIlegible('TRUNCADO');
    if (!this.#hasRoot) throw malformed();
  }

  #scan(): void {
    while (this.#at < this.#bytes.end && this.#step());
    const left = this.#bytes.end - this.#at;
    this.#retry = left > MAX_PIECE ? 2 * left : 0;
  }

  readonly #read: ReadAttribute = (text) => {
    for (let at = 0; at < this.#count; at += 1) if (this.#attributes[at]?.text === text) return this.#value(at);
    return null;
  };

  #value(at: number): string {
    return readValue(this.#buffer.toString('utf8', this.#from[at], this.#to[at]));
  }

  /** Goes on by one token; false if it needs more bytes. */
  #step(): boolean {
    if (this.#mode !== 0) return this.#opaque(this.#mode);
    if (this.#buffer[this.#at] !== LESS) return this.#text();
    const next = this.#buffer[this.#at + 1] as number;
    if (next === SLASH) return this.#close();
    if (next === QUESTION) return this.#instruction();
    if (next === BANG) return this.#section();
    const end = this.#openTag();
    if (end < 0) return false;
    if (end - this.#at > MAX_TAG) throw new XmlIlegible('DEMASIADO_GRANDE');
    this.#at = end;
    return true;
  }

  #text(): boolean {
    const buffer = this.#buffer;
    let at = this.#at;
    if (this.#depth === 0) while (isSpace(buffer[at] as number)) at += 1;
    else while (TEXT[buffer[at] as number] === 1) at += 1;
    this.#at = at;
    if (at >= this.#bytes.end || buffer[at] === LESS) return true;
    if (this.#depth === 0) throw malformed();
    if (buffer[at] === BRACKET) {
      if (at + 2 >= this.#bytes.end) return false;
      if (buffer[at + 1] === BRACKET && buffer[at + 2] === GREATER) throw malformed();
      this.#at = at + 1;
      return true;
    }
    const after = this.#special(at);
    if (after > 0) this.#at = after;
    return after > 0;
  }

  /** The end of a reference or of a character that begins with 0xEF; negative if it needs more bytes. */
  #special(at: number): number {
    const buffer = this.#buffer;
    if (buffer[at] === EF) {
      if (buffer[at + 1] === 0xbf && (buffer[at + 2] as number) >= 0xbe) throw malformed();
      return at + 3;
    }
    if (at >= this.#bytes.end) return -1;
    if (buffer[at] !== AMP) throw malformed();
    let end = at + 1;
    while (end - at < MAX_REFERENCE && buffer[end] !== SEMICOLON) {
      if (end >= this.#bytes.end) return -1;
      end += 1;
    }
    if (resolveReference(buffer.toString('latin1', at + 1, end)) === null) throw malformed();
    return end + 1;
  }

  /** Goes on in a comment, a CDATA section or an instruction to its end or that of the bytes. */
  #opaque(mode: Mode): boolean {
    const buffer = this.#buffer;
    let at = this.#at;
    while (OPAQUE[buffer[at] as number] === 1) at += 1;
    this.#at = at;
    if (at >= this.#bytes.end) return true;
    const byte = buffer[at];
    if (byte === EF) {
      this.#at = this.#special(at);
      return true;
    }
    if (byte !== DASH && byte !== BRACKET && byte !== QUESTION) throw malformed();
    const length = mode === QUESTION ? 2 : 3;
    if (byte === mode && at + length > this.#bytes.end) return false;
    const isDouble = byte === mode && (mode === QUESTION || buffer[at + 1] === mode);
    const isEnd = isDouble && buffer[at + length - 1] === GREATER;
    if (mode === DASH && isDouble && !isEnd) throw malformed();
    this.#at = isEnd ? at + length : at + 1;
    if (isEnd) this.#mode = 0;
    return true;
  }

  #instruction(): boolean {
    const at = this.#name(this.#at + 2);
    if (at < 0) return false;
    if (/^xml$/i.test(this.#found.text) || this.#found.prefix.text !== '') throw malformed();
    const byte = this.#buffer[at] as number;
    if (byte === QUESTION && at + 1 >= this.#bytes.end) return false;
    if (!isSpace(byte) && !(byte === QUESTION && this.#buffer[at + 1] === GREATER)) throw malformed();
    this.#at = at;
    this.#mode = QUESTION;
    return true;
  }

  #section(): boolean {
    if (this.#startsLike('<!--')) this.#mode = DASH;
    else if (this.#depth > 0 && this.#startsLike('<![CDATA[')) this.#mode = BRACKET;
    else if (this.#startsLike('<!DOCTYPE')) throw new XmlIlegible('CON_DTD');
    else if (this.#bytes.end - this.#at >= 9) throw malformed();
    else return false;
    this.#at += this.#mode === DASH ? 4 : 9;
    return true;
  }

  #startsLike(text: string): boolean {
    return this.#buffer.toString('latin1', this.#at, Math.min(this.#bytes.end, this.#at + text.length)) === text;
  }

  /** Reads a name; negative if it may go on behind the bytes. */
  #name(start: number): number {
    const buffer = this.#buffer;
    let hash = SEED;
    let at = start;
    for (let byte = buffer[at] as number; NAME[byte] === 1; byte = buffer[at] as number) {
      hash = Math.imul(hash ^ byte, 16777619);
      at += 1;
    }
    if (at >= this.#bytes.end) return -1;
    this.#found = this.#names.find(buffer, start, at, hash ^ (hash >>> 15));
    return at;
  }

  #skipSpace(start: number): number {
    let at = start;
    while (isSpace(this.#buffer[at] as number)) at += 1;
    return at;
  }

  #close(): boolean {
    const name = this.#stack[this.#depth - 1];
    if (name === undefined || this.#depth === 0) throw malformed();
    const start = this.#at + 2;
    const end = start + name.bytes.length;
    const at = this.#skipSpace(end);
    if (at >= this.#bytes.end) return false;
    if (this.#buffer[at] !== GREATER || !isSame(name.bytes, this.#buffer, start, end)) throw malformed();
    this.#at = at + 1;
    this.#depth -= 1;
    this.#names.unbind(this.#depth);
    return true;
  }

  /** Reads a tag; negative if it needs more bytes. */
  #openTag(): number {
    let at = this.#name(this.#at + 1);
    const name = this.#found;
    this.#tag += 1;
    this.#count = 0;
    this.#declared = 0;
    this.#prefixed = 0;
    while (at >= 0) {
      at = this.#skipSpace(at);
      const byte = this.#buffer[at];
      if (byte === GREATER) return this.#opened(name, false, at + 1);
      if (at >= this.#bytes.end) return -1;
      if (byte === SLASH) {
        if (this.#buffer[at + 1] === GREATER) return this.#opened(name, true, at + 2);
        if (at + 1 >= this.#bytes.end) return -1;
        throw malformed();
      }
      if (!isSpace(this.#buffer[at - 1] as number)) throw malformed();
      at = this.#attribute(at);
    }
    return at;
  }

  #attribute(start: number): number {
    const end = this.#name(start);
    if (end < 0) return -1;
    const name = this.#found;
    if (name.mark === this.#tag) throw malformed();
    name.mark = this.#tag;
    const equal = this.#skipSpace(end);
    const open = this.#skipSpace(equal + 1);
    if (open >= this.#bytes.end) return -1;
    const quote = this.#buffer[open] as number;
    if (this.#buffer[equal] !== EQUAL || (quote !== QUOTE && quote !== APOS)) throw malformed();
    const close = this.#quoted(open + 1, quote);
    if (close < 0) return -1;
    if (this.#count === MAX_ATTRIBUTES || close - open > MAX_VALUE) throw new XmlIlegible('DEMASIADO_GRANDE');
    this.#attributes[this.#count] = name;
    this.#from[this.#count] = open + 1;
    this.#to[this.#count] = close;
    this.#count += 1;
    if (name.declares !== null) this.#declared += 1;
    else if (name.prefix.text !== '') this.#prefixed += 1;
    return close + 1;
  }

  /** The place of the quotation mark that ends a value. */
  #quoted(start: number, quote: number): number {
    const buffer = this.#buffer;
    let at = start;
    while (at >= 0) {
      while (VALUE[buffer[at] as number] === 1) at += 1;
      const byte = buffer[at];
      if (byte === quote) return at;
      at = byte === QUOTE || byte === APOS ? at + 1 : this.#special(at);
    }
    return at;
  }

  #opened(name: Name, isEmpty: boolean, end: number): number {
    if (this.#depth === 0 && this.#hasRoot) throw malformed();
    if (this.#depth === MAX_DEPTH) throw new XmlIlegible('DEMASIADO_HONDO');
    this.#hasRoot = true;
    if (this.#declared > 0) this.#bind();
    if (this.#prefixed > 0) this.#checkPrefixes();
    const { uri, text } = name.prefix;
    if (uri === null || text === 'xmlns') throw malformed();
    this.#open(uri, name.local, this.#depth, this.#read);
    if (isEmpty) this.#names.unbind(this.#depth);
    else {
      this.#stack[this.#depth] = name;
      this.#depth += 1;
    }
    return end;
  }

  #bind(): void {
    for (let at = 0; at < this.#count; at += 1) {
      const prefix = this.#attributes[at]?.declares ?? null;
      if (prefix !== null) this.#names.bind(prefix, this.#value(at).trim(), this.#depth);
    }
  }

  #checkPrefixes(): void {
    const seen = new Set<string>();
    for (let at = 0; at < this.#count; at += 1) {
      const { prefix, local, declares } = this.#attributes[at] as Name;
      if (declares !== null || prefix.text === '') continue;
      if (prefix.uri === null) throw malformed();
      if (this.#prefixed === 1) return;
      if (seen.has(`${prefix.uri} ${local}`)) throw malformed();
      seen.add(`${prefix.uri} ${local}`);
    }
  }
}
