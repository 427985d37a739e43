import { createHash, type KeyObject, verify } from 'node:crypto';
import type { Element, Node } from '@xmldom/xmldom';
import { C14nCanonicalization, ExclusiveCanonicalization } from 'xml-crypto';
import { child, childText, NS } from './message.ts';

const RSA_SHA1 = `${NS.dsig}rsa-sha1`;
const SHA1 = `${NS.dsig}sha1`;

/** The parts of an xmldsig Signature; null when one is missing or an algorithm is not SHA-1 with RSA. */
type Signature = { signedInfo: Element; uri: string | null; digest: Buffer; value: Buffer; keyInfo: Element };

export function readSignature(element: Element | undefined): Signature | null {
  const signedInfo = child(element, NS.dsig, 'SignedInfo');
  const reference = child(signedInfo, NS.dsig, 'Reference');
  const keyInfo = child(element, NS.dsig, 'KeyInfo');
  if (!signedInfo || !reference || !keyInfo) return null;
  if (child(signedInfo, NS.dsig, 'SignatureMethod')?.getAttribute('Algorithm') !== RSA_SHA1) return null;
  if (child(reference, NS.dsig, 'DigestMethod')?.getAttribute('Algorithm') !== SHA1) return null;
  return {
    signedInfo,
    uri: reference.hasAttribute('URI') ? reference.getAttribute('URI') : null,
    digest: Buffer.from(childText(reference, NS.dsig, 'DigestValue'), 'base64'),
    value: Buffer.from(childText(element, NS.dsig, 'SignatureValue'), 'base64'),
    keyInfo,
  };
}

/** Whether the digest is that of an element, canonicalised in one of the given ways. */
export function matchesDigest(signature: Signature, element: Element, ways: readonly Canonicalization[]): boolean {
  return ways.some((way) => createHash('sha1').update(canonicalize(element, way)).digest().equals(signature.digest));
}

/** Whether the value signs the exclusively canonicalised SignedInfo, as sent. */
export function matchesValue({ signedInfo, value }: Signature, key: KeyObject): boolean {
  return verify('sha1', Buffer.from(canonicalize(signedInfo, 'exclusive')), key, value);
}

type Sealed = {
  operation: Element;
  /** The Signature, which the check takes out of the message. */
  element: Element;
  /**
   * Whether the digest must be that of the operation element without the Signature, exclusively or inclusively
   * canonicalised, and the reference say "" or nothing. The SAT looks at neither.
   */
  isStrict: boolean;
};

/**
 * The seal of a request: SignedInfo, exclusively canonicalised, as sent or with the prefixes of its elements taken
 * away. All three styles are in use by public clients, and accepted by the SAT.
 */
export function isSealed(signature: Signature, { operation, element, isStrict }: Sealed, key: KeyObject): boolean {
  element.parentNode?.removeChild(element);
  const isOther = signature.uri !== null && signature.uri !== '';
  if (isStrict && (isOther || !matchesDigest(signature, operation, ['exclusive', 'inclusive']))) return false;
  const { prefix } = signature.signedInfo;
  const unprefixed = canonicalize(signature.signedInfo, 'exclusive')
    .replaceAll(`<${prefix}:`, '<')
    .replaceAll(`</${prefix}:`, '</')
    .replace(`xmlns:${prefix}=`, 'xmlns=');
  return matchesValue(signature, key) || verify('sha1', Buffer.from(unprefixed), key, signature.value);
}

/** Exclusive (xml-exc-c14n) or inclusive (REC-xml-c14n-20010315), both without comments. */
type Canonicalization = 'exclusive' | 'inclusive';

/** Canonical form of an element and what it holds; throws for an empty CDATA section, which no client sends. */
export function canonicalize(element: Element, how: Canonicalization): string {
  // The library's types are of an older xmldom, whose nodes have the same form.
  const node = element as unknown as Parameters<C14nCanonicalization['process']>[0];
  return how === 'exclusive'
    ? new ExclusiveCanonicalization().process(node, {}).toString()
    : new C14nCanonicalization().process(node, { ancestorNamespaces: ancestorNamespaces(element) });
}

/** The declarations in force at an element that stand above it, nearest first. */
function ancestorNamespaces(element: Element) {
  const found = new Map<string, string>();
  for (
    let node: Node | null = element.parentNode;
    node?.nodeType === node?.ELEMENT_NODE && node;
    node = node.parentNode
  )
    for (const { name, prefix, localName, value } of Array.from((node as Element).attributes)) {
      const declared = name === 'xmlns' ? '' : prefix === 'xmlns' ? localName : null;
      if (declared !== null && !found.has(declared ?? '')) found.set(declared ?? '', value);
    }
  // An element without prefix writes its own default namespace.
  if (!element.prefix) found.delete('');
  return Array.from(found, ([prefix, namespaceURI]) => ({ prefix, namespaceURI }));
}
