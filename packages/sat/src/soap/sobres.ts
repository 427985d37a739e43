import { createHash, randomUUID } from 'node:crypto';
import type { Documento } from '@acuse/core';
import type { DireccionSat } from '../http/direcciones.ts';
import type { Signer } from './efirma.ts';
import { NS_SOAP } from './xml.ts';

/** One SOAP 1.1 operation: where it is sent and the value of its SOAPAction header (written without quotes). */
export interface PasoSoap {
  readonly direccion: DireccionSat;
  readonly accion: string;
}

/** Namespace of request, verify and download. */
export const NS_DESCARGA = 'http://DescargaMasivaTerceros.sat.gob.mx';
/** Namespace of authenticate: it has no `sat.` in it. */
export const NS_AUTENTICA = 'http://DescargaMasivaTerceros.gob.mx';

/** The steps of one service of bulk download. */
export type ServicioSoap = Readonly<Record<'autentica' | 'emitidos' | 'recibidos' | 'verifica' | 'descarga', PasoSoap>>;

/**
 * The service "Descarga Masiva", version 1.5, in force since 2025-05-30, once for CFDI and once for CFDI de retenciones
 * e información de pagos: the same operations at other hosts, each with an authentication of its own, since a token of
 * one is not used on the other (addresses as in phpcfdi/sat-ws-descarga-masiva, `ServiceEndpoints`, and
 * SAT-CFDI/python-satcfdi, `pacs/sat.py`).
 */
export const SERVICIOS: Readonly<Record<Documento, ServicioSoap>> = {
  cfdi: servicioEn('cfdidescargamasivasolicitud.clouda.sat.gob.mx', 'cfdidescargamasiva.clouda.sat.gob.mx'),
  retenciones: servicioEn('retendescargamasivasolicitud.clouda.sat.gob.mx', 'retendescargamasiva.clouda.sat.gob.mx'),
};

function servicioEn(solicitud: string, descarga: string): ServicioSoap {
  const paso = (host: string, path: string, accion: string) => ({ direccion: { host, path }, accion });
  const pide = `${NS_DESCARGA}/ISolicitaDescargaService/SolicitaDescarga`;
  const verifica = `${NS_DESCARGA}/IVerificaSolicitudDescargaService/VerificaSolicitudDescarga`;
  return {
    autentica: paso(solicitud, '/Autenticacion/Autenticacion.svc', `${NS_AUTENTICA}/IAutenticacion/Autentica`),
    emitidos: paso(solicitud, '/SolicitaDescargaService.svc', `${pide}Emitidos`),
    recibidos: paso(solicitud, '/SolicitaDescargaService.svc', `${pide}Recibidos`),
    verifica: paso(solicitud, '/VerificaSolicitudDescargaService.svc', verifica),
    descarga: paso(descarga, '/DescargaMasivaService.svc', `${NS_DESCARGA}/IDescargaMasivaTercerosService/Descargar`),
  };
}

const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
export const WSU = `${WSS}-wssecurity-utility-1.0.xsd`;
export const WSSE = `${WSS}-wssecurity-secext-1.0.xsd`;
const X509V3 = `${WSS}-x509-token-profile-1.0#X509v3`;
const BASE64 = `${WSS}-soap-message-security-1.0#Base64Binary`;

/** How long the SAT may take a signed authentication for fresh: five minutes, as all public clients ask. */
export const VIGENCIA_MS = 5 * 60_000;

/** The authentication message: a timestamp signed with the e.firma (WS-Security 1.0, X.509 token profile). */
export function sobreAutentica(signer: Signer, now: Date): string {
  const at = signer.momento(now.getTime());
  const created = new Date(at).toISOString();
  const expires = new Date(at + VIGENCIA_MS).toISOString();
  const times = `<u:Created>${created}</u:Created><u:Expires>${expires}</u:Expires>`;
  const tokenId = `uuid-${randomUUID()}-1`;
  const keyInfo =
    '<o:SecurityTokenReference>' +
    `<o:Reference ValueType="${X509V3}" URI="#${tokenId}"></o:Reference>` +
    '</o:SecurityTokenReference>';
  const canonical = `<u:Timestamp xmlns:u="${WSU}" u:Id="_0">${times}</u:Timestamp>`;
  return (
    `<s:Envelope xmlns:s="${NS_SOAP}" xmlns:u="${WSU}">` +
    `<s:Header><o:Security xmlns:o="${WSSE}" s:mustUnderstand="1">` +
    `<u:Timestamp u:Id="_0">${times}</u:Timestamp>` +
    `<o:BinarySecurityToken u:Id="${tokenId}" ValueType="${X509V3}" EncodingType="${BASE64}">` +
    `${signer.certificado}</o:BinarySecurityToken>` +
    signature(canonical, '#_0', keyInfo, signer.sign) +
    '</o:Security></s:Header>' +
    `<s:Body><Autentica xmlns="${NS_AUTENTICA}"></Autentica></s:Body></s:Envelope>`
  );
}

/** Criteria: each text is an attribute, each list an element with elements (`RfcReceptores` with `RfcReceptor`). */
export type Criterios = Readonly<Record<string, string | readonly string[]>>;

/**
 * The message of request, verify or download: one operation element with one child, whose attributes and first children
 * are the question and whose last child is the signature.
 */
export function sobreFirmado(
  signer: Signer,
  operacion: string,
  child: 'solicitud' | 'peticionDescarga',
  criterios: Criterios,
): string {
  const inOrder = Object.entries(criterios).sort(([a], [b]) => (a < b ? -1 : 1));
  const pairs = inOrder
    .map(([name, value]) => (typeof value === 'string' ? ` ${name}="${escapeAttribute(value)}"` : ''))
    .join('');
  const lists = inOrder.map(([name, value]) => (typeof value === 'string' ? '' : listOf(name, value))).join('');
  const canonical = `<des:${operacion} xmlns:des="${NS_DESCARGA}"><des:${child}${pairs}>${lists}</des:${child}></des:${operacion}>`;
  const keyInfo =
    '<X509Data><X509IssuerSerial>' +
    `<X509IssuerName>${escapeText(signer.emisor)}</X509IssuerName>` +
    `<X509SerialNumber>${signer.serie}</X509SerialNumber>` +
    `</X509IssuerSerial><X509Certificate>${signer.certificado}</X509Certificate></X509Data>`;
  return (
    `<s:Envelope xmlns:s="${NS_SOAP}" xmlns:des="${NS_DESCARGA}"><s:Header></s:Header><s:Body>` +
    `<des:${operacion}><des:${child}${pairs}>${lists}` +
    signature(canonical, '', keyInfo, signer.sign) +
    `</des:${child}></des:${operacion}></s:Body></s:Envelope>`
  );
}

/** `RfcReceptores` with one `RfcReceptor` for each value. */
function listOf(name: string, values: readonly string[]): string {
  const each = name.replace(/es$/, '');
  const elements = values.map((value) => `<des:${each}>${escapeText(value)}</des:${each}>`).join('');
  return `<des:${name}>${elements}</des:${name}>`;
}

/** The look at a request: nothing of it changes from one look to the next. */
export const sobreVerifica = (signer: Signer, rfc: string, folio: string): string =>
  sobreFirmado(signer, 'VerificaSolicitudDescarga', 'solicitud', { IdSolicitud: folio, RfcSolicitante: rfc });

/** The download of a package. */
export const sobreDescarga = (signer: Signer, rfc: string, paquete: string): string =>
  sobreFirmado(signer, 'PeticionDescargaMasivaTercerosEntrada', 'peticionDescarga', {
    IdPaquete: paquete,
    RfcSolicitante: rfc,
  });

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const EXC_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/**
 * A `Signature` element over text that is already in exclusive canonical form: exclusive c14n, sha1, rsa-sha1.
 *
 * For request, verify and download the SAT wants the digest of the operation element without the signature while the
 * reference says `URI=""`, which no generic xmldsig library produces; so the texts are written by hand, in the style of
 * phpcfdi/sat-ws-descarga-masiva. `SignedInfo` is signed with the namespace that it inherits from `Signature`.
 *
 * @param canonical the digested text
 * @param uri of the reference: empty, or `#` and the id of the signed element
 */
function signature(canonical: string, uri: string, keyInfo: string, sign: (text: string) => string): string {
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
function escapeAttribute(text: string): string {
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
