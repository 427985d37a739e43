import { createHash, type KeyObject, verify } from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import { type C14nOptions, canonicalize } from './c14n.ts';
import { child, childText, NS } from './message.ts';

const RSA_SHA1 = `${NS.dsig}rsa-sha1`;
const SHA1 = `${NS.dsig}sha1`;

/** The parts of an xmldsig Signature; null when one is missing or an algorithm is not SHA-1 with RSA. */
export type Signature = {
  signedInfo: Element;
  uri: string | null;
  digest: Buffer;
  value: Buffer;
  keyInfo: Element;
};

/** Reads a Signature element. */
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
export function matchesDigest(signature: Signature, element: Element, ways: readonly C14nOptions[]): boolean {
  return ways.some((way) =>
    createHash('sha1').update(canonicalize(element, way), 'utf8').digest().equals(signature.digest),
  );
}

/** Whether the value signs the exclusively canonicalised SignedInfo, as sent. */
export function matchesValue({ signedInfo, value }: Signature, key: KeyObject): boolean {
  return isSigned(canonicalize(signedInfo, { mode: 'exclusive' }), value, key);
}

/**
 * The seal of a request: the digest is that of the operation element without the Signature, exclusively or
 * inclusively canonicalised, though the reference says "" or nothing; and SignedInfo counts as sent or with the
 * prefixes of its elements taken away. All three styles are in use by public clients, and accepted by the SAT.
 */
export function isSealed(signature: Signature, operation: Element, omit: Element, key: KeyObject): boolean {
  if (signature.uri !== null && signature.uri !== '') return false;
  const ways: C14nOptions[] = [
    { mode: 'exclusive', omit },
    { mode: 'inclusive', omit },
  ];
  if (!matchesDigest(signature, operation, ways)) return false;
  const unprefixed = canonicalize(signature.signedInfo, { mode: 'exclusive', unprefix: NS.dsig });
  return matchesValue(signature, key) || isSigned(unprefixed, signature.value, key);
}

function isSigned(text: string, value: Buffer, key: KeyObject): boolean {
  return verify('sha1', Buffer.from(text, 'utf8'), key, value);
}
