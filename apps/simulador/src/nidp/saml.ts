import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { escapeXml, unescapeXml } from '../world/texts.ts';
import type { World } from '../world/world.ts';
import type { Metodo } from './login-desk.ts';

type Claims = { rfc: string; metodo: Metodo; servicio: string };

const LIFE_MS = 15 * 60_000;
const KEPT = 10_000;

/** What a service asks of the log-in host: who it is, and where its answer goes. */
type AuthnRequest = { servicio: string; regreso: string };

/** Writes a `SAMLRequest` (SAML 2.0 core, 3.4.1; POST binding: base64 of the XML). */
export function writeAuthnRequest({ servicio, regreso }: AuthnRequest, now: Date): string {
  const xml = `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" Version="2.0" IssueInstant="${instant(now)}" ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" AssertionConsumerServiceURL="${escapeXml(regreso)}"><saml:Issuer>${escapeXml(servicio)}</saml:Issuer></samlp:AuthnRequest>`;
  return Buffer.from(xml, 'utf8').toString('base64');
}

/** Reads a `SAMLRequest` that `writeAuthnRequest` made; null for anything else. */
export function readAuthnRequest(samlRequest: string): AuthnRequest | null {
  const xml = Buffer.from(samlRequest, 'base64').toString('utf8');
  const regreso = / AssertionConsumerServiceURL="([^"]*)"/.exec(xml)?.[1];
  const servicio = /<saml:Issuer>([^<]*)<\/saml:Issuer>/.exec(xml)?.[1];
  return regreso && servicio ? { servicio: unescapeXml(servicio), regreso: unescapeXml(regreso) } : null;
}

/** Writes a `SAMLResponse` (SAML 2.0 core, 3.3.3) for a service, base64. No two are alike. */
function writeSamlResponse({ rfc, metodo, servicio }: Claims, issuer: string, now: Date): string {
  const [from, until] = [new Date(now.getTime() - 60_000), new Date(now.getTime() + 15 * 60_000)];
  const xml = [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" Version="2.0" IssueInstant="${instant(now)}">`,
    `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>`,
    `<saml:Assertion ID="${newId()}" Version="2.0" IssueInstant="${instant(now)}"><saml:Issuer>${escapeXml(issuer)}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">${newId()}</saml:NameID></saml:Subject>`,
    `<saml:Conditions NotBefore="${instant(from)}" NotOnOrAfter="${instant(until)}"><saml:AudienceRestriction><saml:Audience>${escapeXml(servicio)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${instant(now)}"><saml:AuthnContext><saml:AuthnContextClassRef>sat/${metodo}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    `<saml:AttributeStatement><saml:Attribute Name="rfc"><saml:AttributeValue>${escapeXml(rfc)}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`,
    '</saml:Assertion></samlp:Response>',
  ];
  return Buffer.from(xml.join(''), 'utf8').toString('base64');
}

let key: KeyObject | undefined;

/**
 * Writes a `wresult` (WS-Federation passive profile: a signed SAML 1.1 assertion in WS-Trust) for a service. Elements
 * are written in the order and with the names that phpcfdi/cfdi-sat-scraper (tests/_files, e.firma session) shows; no
 * white space between them, so the text is canonical.
 */
function writeWresult({ taxpayers, clock }: World, { rfc, metodo }: Claims, issuer: string, audience: string): string {
  const id = newId();
  const at = (ms: number) => instant(new Date(clock.now().getTime() + ms));
  const { nombre, tipoPersona } = taxpayers.taxpayer(rfc);
  const subject = `<saml:Subject><saml:NameIdentifier Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">${digest(rfc)}</saml:NameIdentifier><saml:SubjectConfirmation><saml:ConfirmationMethod>urn:oasis:names:tc:SAML:1.0:cm:bearer</saml:ConfirmationMethod></saml:SubjectConfirmation></saml:Subject>`;
  const claim = (name: string, space: string, value: string) =>
    `<saml:Attribute AttributeName="${name}" AttributeNamespace="http://schemas.xmlsoap.org/${space}"><saml:AttributeValue>${escapeXml(value)}</saml:AttributeValue></saml:Attribute>`;
  const claims = [
    claim('NombreUsuario', 'claims/CommonName', nombre),
    claim('TipoContribuyente', 'ws/2005/05/identity/claims/tipocontribuyente', tipoPersona === 'fisica' ? 'F' : 'M'),
    claim('IdUsuario', 'ws/2005/05/identity/claims/name', rfc),
    claim('ContUid', 'ws/2005/05/identity/claims/SATContribuyente', rfc),
  ];
  const body = [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:1.0:assertion" AssertionID="${id}" IssueInstant="${at(0)}" Issuer="${escapeXml(issuer)}" MajorVersion="1" MinorVersion="1">`,
    `<saml:Conditions NotBefore="${at(-LIFE_MS)}" NotOnOrAfter="${at(LIFE_MS)}"><saml:AudienceRestrictionCondition><saml:Audience>${escapeXml(audience)}</saml:Audience></saml:AudienceRestrictionCondition></saml:Conditions>`,
    `<saml:AuthenticationStatement AuthenticationInstant="${at(0)}" AuthenticationMethod="sat/${metodo}/cfdi/con">${subject}</saml:AuthenticationStatement>`,
    `<saml:AttributeStatement>${subject}${claims.join('')}</saml:AttributeStatement>`,
  ].join('');
  const info = `<ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>${digest(`${body}</saml:Assertion>`)}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  key ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const value = sign('RSA-SHA256', Buffer.from(info), key).toString('base64');
  const signature = `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${info}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  return `<wst:RequestSecurityTokenResponse xmlns:wst="http://schemas.xmlsoap.org/ws/2005/02/trust"><wst:RequestedSecurityToken>${body}${signature}</saml:Assertion></wst:RequestedSecurityToken></wst:RequestSecurityTokenResponse>`;
}

function newId(): string {
  return `id${randomBytes(20).toString('base64url')}`;
}

function instant(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Creates those of a host; each lives for 15 minutes of the simulator's clock and is good once. */
export function createAssertions(world: World) {
  const issued = new Map<string, Claims & { expiresAt: number }>();
  const issue = (text: string, claims: Claims) => {
    issued.set(digest(text), { ...claims, expiresAt: world.clock.now().getTime() + LIFE_MS });
    const oldest = issued.keys().next().value;
    if (issued.size > KEPT && oldest !== undefined) issued.delete(oldest);
    return text;
  };
  return {
    samlResponse: (claims: Claims, issuer: string) =>
      issue(writeSamlResponse(claims, issuer, world.clock.now()), claims),
    wresult: (claims: Claims, issuer: string, audience: string) =>
      issue(writeWresult(world, claims, issuer, audience), claims),
    /**
     * Reads and spends an assertion; null for a foreign, altered, expired or used one, and for that of another service.
     */
    take: (text: string, servicio: string): Claims | null => {
      const found = issued.get(digest(text));
      if (!found || found.servicio !== servicio) return null;
      issued.delete(digest(text));
      const { expiresAt, ...claims } = found;
      return expiresAt > world.clock.now().getTime() ? claims : null;
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
