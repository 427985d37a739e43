import { createHash, createVerify, X509Certificate } from 'node:crypto';
import { DOMParser, type Element } from '@xmldom/xmldom';
import { ExclusiveCanonicalization } from 'xml-crypto';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';

/** What a message says about itself, checked with a DOM and a canonicaliser that the product does not use. */
export interface Veredicto {
  readonly digest: boolean;
  readonly firma: boolean;
  readonly certificado: X509Certificate;
}

/** Parses strictly: any complaint of the parser is an error. */
export function parseDom(xml: string): Element {
  const document = new DOMParser({
    onError: (_level, message) => {
      throw new Error(message);
    },
  }).parseFromString(xml, 'text/xml');
  if (document.documentElement === null) throw new Error('no root');
  return document.documentElement;
}

/** The first element of that local name, prefix or not. */
export function find(root: Element, name: string): Element {
  const found = root.getElementsByTagNameNS('*', name).item(0);
  if (found === null) throw new Error(`no ${name}`);
  return found;
}

export function canonicalize(element: Element): string {
  // The canonicaliser is typed for its own copy of the DOM; it only walks nodes.
  return String(new ExclusiveCanonicalization().process(element as never, {}));
}

/** Checks the signature over the operation element, the grandparent of `Signature`, without the signature. */
export function checkOperacion(xml: string): Veredicto {
  const root = parseDom(xml);
  const signature = find(root, 'Signature');
  const operacion = signature.parentNode?.parentNode as Element;
  const signedInfo = canonicalize(find(signature, 'SignedInfo'));
  const certificado = new X509Certificate(Buffer.from(textOf(signature, 'X509Certificate'), 'base64'));
  signature.parentNode?.removeChild(signature);
  return verdict(signature, canonicalize(operacion), signedInfo, certificado);
}

/** Checks the signature over the Timestamp of an authentication, found by the id that the reference names. */
export function checkAutentica(xml: string): Veredicto {
  const root = parseDom(xml);
  const signature = find(root, 'Signature');
  const timestamp = find(root, 'Timestamp');
  const token = find(root, 'BinarySecurityToken');
  const ids = [timestamp, token].map((element) => `#${element.getAttribute('u:Id')}`);
  const named = [
    find(signature, 'Reference').getAttribute('URI'),
    find(find(signature, 'KeyInfo'), 'Reference').getAttribute('URI'),
  ];
  if (ids.join() !== named.join()) throw new Error(`references ${named} do not name ${ids}`);
  const certificado = new X509Certificate(Buffer.from(token.textContent ?? '', 'base64'));
  return verdict(signature, canonicalize(timestamp), canonicalize(find(signature, 'SignedInfo')), certificado);
}

function verdict(signature: Element, digested: string, signedInfo: string, certificado: X509Certificate): Veredicto {
  if (!signedInfo.startsWith(`<SignedInfo xmlns="${DSIG}">`)) throw new Error('SignedInfo is not of xmldsig');
  return {
    digest: createHash('sha1').update(digested).digest('base64') === textOf(signature, 'DigestValue'),
    firma: createVerify('RSA-SHA1')
      .update(signedInfo)
      .verify(certificado.publicKey, textOf(signature, 'SignatureValue'), 'base64'),
    certificado,
  };
}

export function textOf(root: Element, name: string): string {
  return find(root, name).textContent ?? '';
}
