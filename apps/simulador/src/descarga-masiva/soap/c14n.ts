import type { Attr, Element, Node } from '@xmldom/xmldom';

const XMLNS = 'http://www.w3.org/2000/xmlns/';

/** How to canonicalise. */
export type C14nOptions = {
  /** Exclusive (xml-exc-c14n) or inclusive (REC-xml-c14n-20010315), both without comments. */
  mode: 'exclusive' | 'inclusive';
  /** An element that is left out with all it holds. */
  omit?: Element | undefined;
  /** A namespace whose elements are written without prefix, as if it were the default one. */
  unprefix?: string | undefined;
};

type Scope = ReadonlyMap<string, string>;

/** Canonical form of an element and what it holds (W3C "Canonical XML 1.0" and "Exclusive XML Canonicalization"). */
export function canonicalize(element: Element, options: C14nOptions): string {
  return writeElement(element, options, new Map(), inScope(element));
}

/** The namespace declarations in force at an element, by prefix ('' is the default one). */
function inScope(element: Element): Map<string, string> {
  const scope = new Map<string, string>();
  for (let node: Node | null = element; node !== null && node.nodeType === node.ELEMENT_NODE; node = node.parentNode) {
    for (const [prefix, uri] of declarations(node as Element)) if (!scope.has(prefix)) scope.set(prefix, uri);
  }
  return scope;
}

function writeElement(element: Element, options: C14nOptions, rendered: Scope, scope: Scope): string {
  const own = declarations(element);
  const here = own.length === 0 ? scope : new Map([...scope, ...own]);
  const isUnprefixed = options.unprefix !== undefined && element.namespaceURI === options.unprefix;
  const name = isUnprefixed ? (element.localName ?? element.tagName) : element.tagName;
  const attributes = attributesOf(element);
  const wanted = options.mode === 'inclusive' ? new Map(here) : utilized(element, attributes, here, isUnprefixed);
  const namespaces = [...wanted]
    .filter(([prefix, uri]) => prefix !== 'xml' && (rendered.get(prefix) ?? '') !== uri)
    .sort(([a], [b]) => compare(a, b));
  const nowRendered = namespaces.length === 0 ? rendered : new Map([...rendered, ...namespaces]);
  const declared = namespaces.map(
    ([prefix, uri]) => ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeAttribute(uri)}"`,
  );
  const written = attributes.map((attribute) => ` ${attribute.name}="${escapeAttribute(attribute.value)}"`);
  let content = '';
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    content += writeNode(child, options, nowRendered, here);
  }
  return `<${name}${declared.join('')}${written.join('')}>${content}</${name}>`;
}

function writeNode(node: Node, options: C14nOptions, rendered: Scope, scope: Scope): string {
  switch (node.nodeType) {
    case node.ELEMENT_NODE:
      return node === options.omit ? '' : writeElement(node as Element, options, rendered, scope);
    case node.TEXT_NODE:
    case node.CDATA_SECTION_NODE:
      return escapeText(node.nodeValue ?? '');
    case node.PROCESSING_INSTRUCTION_NODE:
      return `<?${node.nodeName}${node.nodeValue ? ` ${node.nodeValue}` : ''}?>`;
    default:
      return '';
  }
}

/** The prefixes that an element's own name and its attributes' names use. */
function utilized(element: Element, attributes: Attr[], scope: Scope, isUnprefixed: boolean) {
  const used = new Map<string, string>();
  const prefix = isUnprefixed ? '' : (element.prefix ?? '');
  used.set(prefix, isUnprefixed ? (element.namespaceURI ?? '') : (scope.get(prefix) ?? ''));
  for (const attribute of attributes) {
    if (attribute.prefix) used.set(attribute.prefix, scope.get(attribute.prefix) ?? '');
  }
  return used;
}

function declarations(element: Element): [prefix: string, uri: string][] {
  return Array.from(element.attributes)
    .filter((attribute) => attribute.namespaceURI === XMLNS)
    .map((attribute) => [attribute.prefix ? (attribute.localName ?? '') : '', attribute.value]);
}

/** Ordinary attributes, in canonical order: by namespace, then by local name. */
function attributesOf(element: Element): Attr[] {
  return Array.from(element.attributes)
    .filter((attribute) => attribute.namespaceURI !== XMLNS)
    .sort(
      (a, b) =>
        compare(a.namespaceURI ?? '', b.namespaceURI ?? '') || compare(a.localName ?? a.name, b.localName ?? b.name),
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;');
}

function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#x9;')
    .replaceAll('\n', '&#xA;')
    .replaceAll('\r', '&#xD;');
}
