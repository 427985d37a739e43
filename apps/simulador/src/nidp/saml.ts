import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../world/clock.ts';
import type { Metodo } from './login-desk.ts';

/** What a service asks of the log-in host: who it is, and where its answer goes. */
type AuthnRequest = { servicio: string; regreso: string };

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

/** What a log-in host vouches for. */
type Claims = { rfc: string; metodo: Metodo; servicio: string };

/** The assertions that are on their way from a log-in host to a service. */
type AssertionStore = {
  /** Remembers an assertion by its text, which must be unique, and gives the text back. */
  put(asercion: string, claims: Claims): string;
  /**
   * Reads and spends an assertion; null for a foreign, altered, expired or used one, and for that of another service.
   */
  take(asercion: string, servicio: string): Claims | null;
};

const LIFE_MS = 15 * 60_000;
const KEPT = 10_000;

/** Creates an empty store. An assertion lives for 15 minutes of the simulator's clock and is good once. */
export function createAssertionStore(clock: Clock): AssertionStore {
  const issued = new Map<string, Claims & { expiresAt: number }>();
  return {
    put: (asercion, claims) => {
      issued.set(digest(asercion), { ...claims, expiresAt: clock.now().getTime() + LIFE_MS });
      const oldest = issued.keys().next().value;
      if (issued.size > KEPT && oldest !== undefined) issued.delete(oldest);
      return asercion;
    },
    take: (asercion, servicio) => {
      const key = digest(asercion);
      const found = issued.get(key);
      if (!found || found.servicio !== servicio) return null;
      issued.delete(key);
      const { expiresAt, ...claims } = found;
      return expiresAt > clock.now().getTime() ? claims : null;
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
