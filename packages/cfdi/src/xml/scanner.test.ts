import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { XmlIlegible } from '../ilegible.ts';
import { Scanner } from './scanner.ts';

/** An element: depth, namespace, name, attributes without prefix. */
type Element = readonly [number, string, string, Readonly<Record<string, string | null>>];

const NAMES = [
  'a',
  'b',
  'p:a',
  'q:b',
  'ñandú',
  'xml:lang',
  'p:xmlns',
  'x-1.é',
  'xmlns',
  'xmlns:p',
  'xmlns:q',
  'UUID',
  'ID',
];
const WANTED = NAMES.filter((name) => !name.includes(':') && name !== 'xmlns');

/**
 * Documents that saxes admits against the recommendations, or that are too short for a CFDI: a declaration that does not
 * begin the document, an instruction whose target has a question mark, a name with a hyphen or digit behind its colon.
 */
const isRefusedHereAlone = (text: string) =>
  text.length < 6 || /.<\?xml\s|<\?[^\s?]*\?[^>]|[\s</][^\s=:]*:[-.\d]/s.test(text);

/** The elements that saxes finds; null if it refuses the document or finds a DTD, another version or encoding. */
function readWithSaxes(bytes: Uint8Array): readonly Element[] | null {
  const parser = new SaxesParser({ xmlns: true });
  const found: Element[] = [];
  let depth = 0;
  let isForeign = false;
  parser.on('doctype', () => {
    isForeign = true;
  });
  parser.on('xmldecl', ({ version, encoding = 'utf-8' }) => {
    isForeign = version !== '1.0' || !/^utf-?8$/i.test(encoding);
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const values = WANTED.map((name) => [name, attributes[name]?.value ?? null] as const);
    found.push([depth, uri, local, Object.fromEntries(values)]);
    depth += 1;
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  try {
    parser.write(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)).close();
  } catch {
    return null;
  }
  return isForeign ? null : found;
}

/** The elements that the scanner finds, or its reason; `sizes` cuts the document into chunks. */
function scan(bytes: Uint8Array, sizes: readonly number[]): readonly Element[] | string {
  const found: Element[] = [];
  const scanner = new Scanner((uri, local, depth, read) => {
    found.push([depth, uri, local, Object.fromEntries(WANTED.map((name) => [name, read(name)]))]);
  });
  try {
    for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
      const size = sizes.length === 0 ? bytes.length : (sizes[piece % sizes.length] ?? 1);
      scanner.write(bytes.slice(at, at + size));
      at += size;
    }
    scanner.end();
  } catch (error) {
    if (error instanceof XmlIlegible) return error.motivo;
    throw error;
  }
  return found;
}

const space = fc.constantFrom('', '', ' ', '\n', '\r\n\t');
const gap = fc.constantFrom(' ', ' ', '\n', '\r\n\t');
const value = fc
  .array(
    fc.constantFrom(
      'a',
      'ñ',
      '€',
      '😀',
      ' ',
      '\r\n',
      '\t',
      '>',
      '&amp;',
      '&#x41;',
      '&#10;',
      '&quot;',
      ']]>',
      '\ufffd',
      '',
    ),
  )
  .map((parts) => parts.join(''));
const uri = fc.constantFrom('u', 'v', ' u ', 'http://www.w3.org/2000/xmlns/', '', 'urn:ñ&amp;');
const attribute = fc
  .tuple(gap, fc.constantFrom(...NAMES), space, space, fc.constantFrom('"', "'"), value, uri)
  .map(([before, name, left, right, quote, text, ns]) => {
    const inside = name.startsWith('xmlns') ? ns : text;
    return `${before}${name}${left}=${right}${quote}${inside}${quote}`;
  });
const misc = fc.constantFrom('<!-- - é -->', '<?go a="?>"?>', '<?x?>', '\n', ' ', '');
const text = fc.constantFrom('hola', 'ñ😀', '&lt;&#xF1;', ']]', ']>', '<![CDATA[ ]] <a> & ]]>', '', '\r\n');
const element = fc.letrec<{ node: string }>((tie) => ({
  node: fc
    .tuple(
      fc.constantFrom('a', 'b', 'p:a', 'q:b', 'ñandú'),
      fc.uniqueArray(attribute, { maxLength: 4, selector: (one) => one.split('=')[0]?.trim() }),
      fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, text, misc, tie('node')), { maxLength: 3 }),
      space,
    )
    .map(([name, attributes, children, end]) => {
      const bound = `${attributes.join('')}${name.startsWith('p:') ? ' xmlns:p="u"' : ''}`;
      return children.length === 0
        ? `<${name}${bound}${end}/>`
        : `<${name}${bound}>${children.join('')}</${name}${end}>`;
    }),
})).node;
const head = fc.constantFrom(
  '',
  '\ufeff',
  '<?xml version="1.0"?>',
  "\ufeff<?xml version='1.0' encoding='UTF-8' standalone='no' ?>\n",
);
const whole = fc
  .tuple(head, misc, element, misc)
  .map(([start, before, root, after]) => `${start}${before}<r xmlns:p="u" xmlns:q="v">${root}</r>${after}`);

const TOKENS = [
  ...[
    '<',
    '>',
    '/',
    '"',
    "'",
    '&',
    ';',
    '&amp;',
    '&#0;',
    '&#xD800;',
    '&#x110000;',
    '&otra;',
    ']]>',
    '<!--',
    '-->',
    '--',
  ],
  ...[
    '<![CDATA[',
    '<?a b?>',
    '<?xml version="1.0"?>',
    '<?XML?>',
    '<!DOCTYPE a>',
    '<!',
    ' xmlns=""',
    ' xmlns:p="v"',
    ' a=""',
  ],
  ...[
    ' p:k="" q:k=""',
    ' xmlns:q="u"',
    ' z:k="1"',
    '<z:a/>',
    '</r>',
    '<a>',
    '</a>',
    '<a/>',
    '<xmlns:a/>',
    '\u0000',
    '\u0001',
  ],
  ...[
    '\ufffe',
    '\uffff',
    '\u0085',
    '\u2028',
    '×',
    ':',
    '=',
    ' ',
    '\r',
    '<1/>',
    '<a b>',
    '<a b=c/>',
    'é',
    '-',
    '?',
    '\ufeff',
  ],
].map((token) => Buffer.from(token));
const BROKEN = [[0x80], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf]].map((bytes) =>
  Buffer.from(bytes),
);

interface Mutation {
  readonly at: number;
  readonly drop: number;
  readonly put: Buffer;
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.integer({ min: 0, max: 9_999 }),
  drop: fc.constantFrom(0, 0, 1, 1, 5, 40),
  put: fc.constantFrom(...TOKENS, ...BROKEN, Buffer.alloc(0), Buffer.alloc(0)),
});
const mutate = (bytes: Buffer, { at, drop, put }: Mutation): Buffer => {
  const place = Math.floor((at / 10_000) * bytes.length);
  return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + drop)]);
};

describe('Scanner', () => {
  it('finds the elements that saxes finds in thousands of documents and mutations, in chunks of any size', () => {
    let accepted = 0;
    let refused = 0;
    const sizes = fc.constantFrom([], [1], [7, 3], [64]);
    const check = (document: string, mutations: readonly Mutation[], pieces: readonly number[]) => {
      const bytes = mutations.reduce(mutate, Buffer.from(document));
      const expected = readWithSaxes(bytes);
      const found = scan(bytes, pieces);
      if (expected === null) expect(found).toBeTypeOf('string');
      else if (found !== 'NO_ES_XML' || !isRefusedHereAlone(bytes.toString())) expect(found).toEqual(expected);
      if (expected === null) refused += 1;
      else accepted += 1;
    };
    fc.assert(fc.property(whole, fc.array(mutation, { maxLength: 2 }), sizes, check), { numRuns: 6_000 });
    expect(Math.min(accepted, refused)).toBeGreaterThan(1_000);
  });
});
