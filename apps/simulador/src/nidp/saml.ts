import { randomBytes } from 'node:crypto';
import type { Claims } from './assertion-store.ts';

/** What a service asks of the log-in host: who it is, and where its answer goes. */
export type AuthnRequest = { servicio: string; regreso: string };

/** Writes a `SAMLRequest` (SAML 2.0 core, 3.4.1; POST binding: base64 of the XML). */
export function writeAuthnRequest({ servicio, regreso }: AuthnRequest, now: Date): string {
  const xml = `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" Version="2.0" IssueInstant="${instant(now)}" ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" AssertionConsumerServiceURL="${encodeXml(regreso)}"><saml:Issuer>${encodeXml(servicio)}</saml:Issuer></samlp:AuthnRequest>`;
  return Buffer.from(xml, 'utf8').toString('base64');
}

/** Reads a `SAMLRequest` that `writeAuthnRequest` made; null for anything else. */
export function readAuthnRequest(samlRequest: string): AuthnRequest | null {
  const xml = Buffer.from(samlRequest, 'base64').toString('utf8');
  const regreso = / AssertionConsumerServiceURL="([^"]*)"/.exec(xml)?.[1];
  const servicio = /<saml:Issuer>([^<]*)<\/saml:Issuer>/.exec(xml)?.[1];
  return regreso && servicio ? { servicio: decodeXml(servicio), regreso: decodeXml(regreso) } : null;
}

/** Writes a `SAMLResponse` (SAML 2.0 core, 3.3.3) for a service, base64. No two are alike. */
export function writeSamlResponse({ rfc, metodo, servicio }: Claims, issuer: string, now: Date): string {
  const [from, until] = [new Date(now.getTime() - 60_000), new Date(now.getTime() + 15 * 60_000)];
  const xml = [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" Version="2.0" IssueInstant="${instant(now)}">`,
    `<saml:Issuer>${encodeXml(issuer)}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>`,
    `<saml:Assertion ID="${newId()}" Version="2.0" IssueInstant="${instant(now)}"><saml:Issuer>${encodeXml(issuer)}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">${newId()}</saml:NameID></saml:Subject>`,
    `<saml:Conditions NotBefore="${instant(from)}" NotOnOrAfter="${instant(until)}"><saml:AudienceRestriction><saml:Audience>${encodeXml(servicio)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${instant(now)}"><saml:AuthnContext><saml:AuthnContextClassRef>sat/${metodo}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    `<saml:AttributeStatement><saml:Attribute Name="rfc"><saml:AttributeValue>${encodeXml(rfc)}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`,
    '</saml:Assertion></samlp:Response>',
  ];
  return Buffer.from(xml.join(''), 'utf8').toString('base64');
}

/** Writes a `wresult` (WS-Federation passive profile: a SAML 1.1 assertion in WS-Trust). No two are alike. */
export function writeWresult({ rfc, metodo, servicio }: Claims, issuer: string, now: Date): string {
  const until = new Date(now.getTime() + 15 * 60_000);
  return [
    '<wst:RequestSecurityTokenResponse xmlns:wst="http://schemas.xmlsoap.org/ws/2005/02/trust"><wst:RequestedSecurityToken>',
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:1.0:assertion" AssertionID="${newId()}" IssueInstant="${instant(now)}" Issuer="${encodeXml(issuer)}" MajorVersion="1" MinorVersion="1">`,
    `<saml:Conditions NotBefore="${instant(now)}" NotOnOrAfter="${instant(until)}"><saml:AudienceRestrictionCondition><saml:Audience>${encodeXml(servicio)}</saml:Audience></saml:AudienceRestrictionCondition></saml:Conditions>`,
    `<saml:AuthenticationStatement AuthenticationInstant="${instant(now)}" AuthenticationMethod="sat/${metodo}"/>`,
    `<saml:AttributeStatement><saml:Attribute AttributeName="IdUsuario" AttributeNamespace="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name"><saml:AttributeValue>${encodeXml(rfc)}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`,
    '</saml:Assertion></wst:RequestedSecurityToken></wst:RequestSecurityTokenResponse>',
  ].join('');
}

function newId(): string {
  return `id${randomBytes(20).toString('base64url')}`;
}

function instant(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function encodeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function decodeXml(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
