import { DOMParser, type Element } from '@xmldom/xmldom';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { C14nCanonicalization, ExclusiveCanonicalization } from 'xml-crypto';
import { canonicalize } from './c14n.ts';

function parse(xml: string): Element {
  const root = new DOMParser().parseFromString(xml, 'text/xml').documentElement;
  if (!root) throw new Error('unreadable');
  return root;
}

/** What xml-crypto, another implementation, makes of the same element. */
function oracle(element: Element, mode: 'exclusive' | 'inclusive'): string {
  const node = element as unknown as Parameters<ExclusiveCanonicalization['process']>[0];
  return mode === 'exclusive'
    ? new ExclusiveCanonicalization().process(node, {}).toString()
    : new C14nCanonicalization().process(node, {}).toString();
}

const names = fc.constantFrom('a', 'b', 'c');
const prefixes = fc.constantFrom('', 'p', 'q');
const text = fc.constantFrom('', 'x', ' ', 'á & < > "', 'línea\n');
const toXml = (value: string) =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');

/** Elements with prefixes declared again and again, attributes with and without prefix, and text. */
function elements(depth: number): fc.Arbitrary<string> {
  return fc
    .record({
      name: names,
      prefix: prefixes,
      declared: fc.uniqueArray(fc.tuple(prefixes, fc.constantFrom('urn:1', 'urn:2')), {
        selector: ([prefix]) => prefix,
      }),
      attributes: fc.uniqueArray(fc.tuple(prefixes, names, text), { selector: ([, name]) => name }),
      text,
      children: depth === 0 ? fc.constant([]) : fc.array(elements(depth - 1), { maxLength: 3 }),
    })
    .map(({ name, prefix, declared, attributes, text: content, children }) => {
      const tag = prefix === '' ? name : `${prefix}:${name}`;
      const namespaces = declared.map(([p, uri]) => ` xmlns${p && `:${p}`}="${uri}"`).join('');
      const written = attributes.map(([p, n, value]) => ` ${p === '' ? n : `${p}:${n}`}="${toXml(value)}"`).join('');
      return `<${tag}${namespaces}${written}>${toXml(content)}${children.join('')}</${tag}>`;
    });
}

describe('canonical XML', () => {
  it.each(['exclusive', 'inclusive'] as const)('%s agrees with xml-crypto on any tree', (mode) => {
    fc.assert(
      fc.property(elements(3), (inner) => {
        const root = parse(`<r xmlns:p="urn:p" xmlns:q="urn:q">${inner}</r>`);
        expect(canonicalize(root, { mode })).toBe(oracle(root, mode));
      }),
      { numRuns: 300 },
    );
  });

  it('counts the namespaces in scope of an inner element only when inclusive', () => {
    const inner = parse('<s:r xmlns:s="urn:s" xmlns:d="urn:d"><d:a/></s:r>').firstChild as Element;
    expect(canonicalize(inner, { mode: 'exclusive' })).toBe('<d:a xmlns:d="urn:d"></d:a>');
    expect(canonicalize(inner, { mode: 'inclusive' })).toBe('<d:a xmlns:d="urn:d" xmlns:s="urn:s"></d:a>');
  });

  it('sorts attributes by namespace and leaves comments out', () => {
    const root = parse(
      '<a xmlns:z="urn:1" xmlns:y="urn:2" y:b="1" z:c="2" b="3"><!-- no --><![CDATA[<]]>\r\n<?pi x?></a>',
    );
    expect(canonicalize(root, { mode: 'exclusive' })).toBe(
      '<a xmlns:y="urn:2" xmlns:z="urn:1" b="3" z:c="2" y:b="1">&lt;\n<?pi x?></a>',
    );
  });

  it('can omit an element and take a namespace out of its prefix', () => {
    const root = parse('<x:a xmlns:x="urn:x"><x:b/><c/></x:a>');
    expect(canonicalize(root, { mode: 'exclusive', omit: root.lastChild as Element, unprefix: 'urn:x' })).toBe(
      '<a xmlns="urn:x"><b></b></a>',
    );
  });
});
