import { randomUUID } from 'node:crypto';
import type { Firmante } from './efirma.ts';
import { escapeAttribute, escapeText, signature } from './firma.ts';
import { NS_AUTENTICA, NS_DESCARGA } from './servicio.ts';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
const WSU = `${WSS}-wssecurity-utility-1.0.xsd`;
const WSSE = `${WSS}-wssecurity-secext-1.0.xsd`;
const X509V3 = `${WSS}-x509-token-profile-1.0#X509v3`;
const BASE64 = `${WSS}-soap-message-security-1.0#Base64Binary`;

/** How long the SAT may take a signed authentication for fresh: five minutes, as all public clients ask. */
const VIGENCIA_MS = 5 * 60_000;

/** The authentication message: a timestamp signed with the e.firma (WS-Security 1.0, X.509 token profile). */
export function sobreAutentica(firmante: Firmante, now: Date): string {
  const created = now.toISOString();
  const expires = new Date(now.getTime() + VIGENCIA_MS).toISOString();
  const times = `<u:Created>${created}</u:Created><u:Expires>${expires}</u:Expires>`;
  const tokenId = `uuid-${randomUUID()}-1`;
  const keyInfo =
    '<o:SecurityTokenReference>' +
    `<o:Reference ValueType="${X509V3}" URI="#${tokenId}"></o:Reference>` +
    '</o:SecurityTokenReference>';
  const canonical = `<u:Timestamp xmlns:u="${WSU}" u:Id="_0">${times}</u:Timestamp>`;
  return (
    `<s:Envelope xmlns:s="${SOAP}" xmlns:u="${WSU}">` +
    `<s:Header><o:Security xmlns:o="${WSSE}" s:mustUnderstand="1">` +
    `<u:Timestamp u:Id="_0">${times}</u:Timestamp>` +
    `<o:BinarySecurityToken u:Id="${tokenId}" ValueType="${X509V3}" EncodingType="${BASE64}">` +
    `${firmante.certificado}</o:BinarySecurityToken>` +
    signature(canonical, '#_0', keyInfo, firmante.sign) +
    '</o:Security></s:Header>' +
    `<s:Body><Autentica xmlns="${NS_AUTENTICA}"></Autentica></s:Body></s:Envelope>`
  );
}

/**
 * The message of request, verify or download: one operation element with one child, whose attributes are the
 * question and whose last child is the signature.
 */
export function sobreFirmado(
  firmante: Firmante,
  operacion: string,
  hijo: 'solicitud' | 'peticionDescarga',
  atributos: Readonly<Record<string, string>>,
): string {
  const pairs = Object.entries(atributos)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`)
    .join('');
  const canonical = `<des:${operacion} xmlns:des="${NS_DESCARGA}"><des:${hijo}${pairs}></des:${hijo}></des:${operacion}>`;
  const keyInfo =
    '<X509Data><X509IssuerSerial>' +
    `<X509IssuerName>${escapeText(firmante.emisor)}</X509IssuerName>` +
    `<X509SerialNumber>${firmante.serie}</X509SerialNumber>` +
    `</X509IssuerSerial><X509Certificate>${firmante.certificado}</X509Certificate></X509Data>`;
  return (
    `<s:Envelope xmlns:s="${SOAP}" xmlns:des="${NS_DESCARGA}"><s:Header></s:Header><s:Body>` +
    `<des:${operacion}><des:${hijo}${pairs}>` +
    signature(canonical, '', keyInfo, firmante.sign) +
    `</des:${hijo}></des:${operacion}></s:Body></s:Envelope>`
  );
}
