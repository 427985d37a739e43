import { createHash, generateKeyPairSync, type KeyPairKeyObjectResult, randomBytes, sign, verify } from 'node:crypto';
import { forgetOld } from '../web/sessions.ts';
import type { World } from '../world/world.ts';

/** Makes and reads the SAML 1.1 assertions with which the log-in host vouches for a taxpayer. */
export type Assertions = {
  /** The `wresult` for an RFC; `audience` is the portal's address. */
  issue(rfc: string, method: 'ciec' | 'fiel', issuer: string, audience: string): string;
  /**
   * Whom a `wresult` proves to `audience`, once; null when it is altered, expired, used before or meant for another
   * host.
   */
  accept(wresult: string, audience: string): { rfc: string; method: 'ciec' | 'fiel' } | null;
};

const LIFE_MS = 15 * 60_000;
const SIGNATURE = /<ds:Signature .*<\/ds:Signature>/s;

/** The issuer's, which all simulators of a process share; made at the first use. */
let keys: KeyPairKeyObjectResult | undefined;
const keyPair = () => {
  keys ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  return keys;
};

/**
 * Creates the issuer. Elements are written in the order and with the names that
 * phpcfdi/cfdi-sat-scraper (tests/_files, e.firma session) shows; no white space between them, so the text is
 * canonical.
 */
export function createAssertions(world: World): Assertions {
  /** Until when each would be good. */
  const used = new Map<string, number>();
  return {
    issue: (rfc, method, issuer, audience) => {
      const id = `id${randomBytes(20).toString('base64url')}`;
      const body = assertion(world, { id, rfc, method, issuer, audience });
      const info = signedInfo(id, body);
      const value = sign('RSA-SHA256', Buffer.from(info), keyPair().privateKey).toString('base64');
      const signature = `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${info}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
      const signed = body.replace('</saml:Assertion>', `${signature}</saml:Assertion>`);
      return `<wst:RequestSecurityTokenResponse xmlns:wst="http://schemas.xmlsoap.org/ws/2005/02/trust"><wst:RequestedSecurityToken>${signed}</wst:RequestedSecurityToken></wst:RequestSecurityTokenResponse>`;
    },
    accept: (wresult, audience) => {
      const text = /<saml:Assertion .*<\/saml:Assertion>/s.exec(wresult)?.[0] ?? '';
      const body = text.replace(SIGNATURE, '');
      const id = attribute(body, 'AssertionID');
      const value = /<ds:SignatureValue>([^<]*)</.exec(text)?.[1] ?? '';
      const info = Buffer.from(signedInfo(id, body));
      const isGenuine = verify('RSA-SHA256', info, keyPair().publicKey, Buffer.from(value, 'base64'));
      if (!isGenuine || used.has(id)) return null;
      const [until, now] = [Date.parse(attribute(body, 'NotOnOrAfter')), world.clock.now().getTime()];
      if (until <= now) return null;
      if (decodeXml(/<saml:Audience>([^<]*)</.exec(body)?.[1] ?? '') !== audience) return null;
      forgetOld(used, (end) => end <= now);
      used.set(id, until);
      const rfc = decodeXml(/AttributeName="IdUsuario"[^>]*><saml:AttributeValue>([^<]*)</.exec(body)?.[1] ?? '');
      return { rfc, method: body.includes('AuthenticationMethod="sat/fiel/') ? 'fiel' : 'ciec' };
    },
  };
}

type Claims = { id: string; rfc: string; method: 'ciec' | 'fiel'; issuer: string; audience: string };

function assertion(world: World, { id, rfc, method, issuer, audience }: Claims): string {
  const now = world.clock.now();
  const instant = (ms: number) => `${new Date(now.getTime() + ms).toISOString().slice(0, 19)}Z`;
  const { nombre, tipoPersona } = world.taxpayers.taxpayer(rfc);
  const subject = `<saml:Subject><saml:NameIdentifier Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">${createHash('sha256').update(rfc).digest('base64')}</saml:NameIdentifier><saml:SubjectConfirmation><saml:ConfirmationMethod>urn:oasis:names:tc:SAML:1.0:cm:bearer</saml:ConfirmationMethod></saml:SubjectConfirmation></saml:Subject>`;
  const claim = (name: string, space: string, value: string) =>
    `<saml:Attribute AttributeName="${name}" AttributeNamespace="http://schemas.xmlsoap.org/${space}"><saml:AttributeValue>${encodeXml(value)}</saml:AttributeValue></saml:Attribute>`;
  const claims = [
    claim('NombreUsuario', 'claims/CommonName', nombre),
    claim('TipoContribuyente', 'ws/2005/05/identity/claims/tipocontribuyente', tipoPersona === 'fisica' ? 'F' : 'M'),
    claim('IdUsuario', 'ws/2005/05/identity/claims/name', rfc),
    claim('ContUid', 'ws/2005/05/identity/claims/SATContribuyente', rfc),
  ];
  return [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:1.0:assertion" AssertionID="${id}" IssueInstant="${instant(0)}" Issuer="${encodeXml(issuer)}" MajorVersion="1" MinorVersion="1">`,
    `<saml:Conditions NotBefore="${instant(-LIFE_MS)}" NotOnOrAfter="${instant(LIFE_MS)}"><saml:AudienceRestrictionCondition><saml:Audience>${encodeXml(audience)}</saml:Audience></saml:AudienceRestrictionCondition></saml:Conditions>`,
    `<saml:AuthenticationStatement AuthenticationInstant="${instant(0)}" AuthenticationMethod="sat/${method}/cfdi/con">${subject}</saml:AuthenticationStatement>`,
    `<saml:AttributeStatement>${subject}${claims.join('')}</saml:AttributeStatement></saml:Assertion>`,
  ].join('');
}

function signedInfo(id: string, body: string): string {
  const digest = createHash('sha256').update(body).digest('base64');
  return `<ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
}

function attribute(xml: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1] ?? '';
}

function encodeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function decodeXml(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
