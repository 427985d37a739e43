import { createHash } from 'node:crypto';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const EXC_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/**
 * A `Signature` element over text that is already in exclusive canonical form: exclusive c14n, sha1, rsa-sha1.
 *
 * For request, verify and download the SAT wants the digest of the operation element without the signature while the
 * reference says `URI=""`, which no generic xmldsig library produces; so the texts are written by hand, in the style of
 * phpcfdi/sat-ws-descarga-masiva. `SignedInfo` is signed with the namespace that it inherits from `Signature`.
 *
 * @param canonical what is digested
 * @param uri of the reference: empty, or `#` and the id of the signed element
 */
export function signature(canonical: string, uri: string, keyInfo: string, sign: (text: string) => string): string {
  const digest = createHash('sha1').update(canonical, 'utf8').digest('base64');
  const content =
    `<CanonicalizationMethod Algorithm="${EXC_C14N}"></CanonicalizationMethod>` +
    `<SignatureMethod Algorithm="${DSIG}rsa-sha1"></SignatureMethod>` +
    `<Reference URI="${uri}">` +
    `<Transforms><Transform Algorithm="${EXC_C14N}"></Transform></Transforms>` +
    `<DigestMethod Algorithm="${DSIG}sha1"></DigestMethod>` +
    `<DigestValue>${digest}</DigestValue>` +
    '</Reference>';
  const value = sign(`<SignedInfo xmlns="${DSIG}">${content}</SignedInfo>`);
  return (
    `<Signature xmlns="${DSIG}"><SignedInfo>${content}</SignedInfo>` +
    `<SignatureValue>${value}</SignatureValue><KeyInfo>${keyInfo}</KeyInfo></Signature>`
  );
}

/** Text of an element, escaped as canonical XML writes it (RFC 3076, section 2.3). */
export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (c) => ESCAPES[c] ?? c);
}

/** Value of an attribute between double quotes, escaped as canonical XML writes it (RFC 3076, section 2.3). */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<"\t\n\r]/g, (c) => ESCAPES[c] ?? c);
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};
