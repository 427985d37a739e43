import { type KeyObject, X509Certificate } from 'node:crypto';
import type { Advertencia } from '@acuse/core';
import { advertenciasDe } from './advertencias.ts';
import { derOf } from './pem.ts';

/**
 * Why a certificate is refused:
 * - `NO_ES_CERTIFICADO`: not an X.509 certificate, DER or PEM;
 * - `DEMASIADO_GRANDE`: more than 16 KiB;
 * - `NO_ES_DEL_SAT`: an X.509 certificate without the SAT's serial number or RFC;
 * - `ES_CSD`: a certificate for stamping CFDI instead of an e.firma;
 * - `NO_ES_EFIRMA`: neither of the two;
 * - `RFC_DISTINTO`: of another taxpayer;
 * - `LLAVE_DEBIL`: not RSA of at least 2048 bits;
 * - `AUN_NO_VIGENTE`, `VENCIDO`: outside of its period;
 * - `EMISOR_DESCONOCIDO`: no authority of the trust bundle signed it. The bundle may be too old: the operator can extend it;
 * - `EMISOR_NO_VIGENTE`: the authority was outside of its own period when it signed.
 */
export type MotivoCertificado =
  | 'NO_ES_CERTIFICADO'
  | 'DEMASIADO_GRANDE'
  | 'NO_ES_DEL_SAT'
  | 'ES_CSD'
  | 'NO_ES_EFIRMA'
  | 'RFC_DISTINTO'
  | 'LLAVE_DEBIL'
  | 'AUN_NO_VIGENTE'
  | 'VENCIDO'
  | 'EMISOR_DESCONOCIDO'
  | 'EMISOR_NO_VIGENTE';

/** A certificate that cannot be used as an e.firma. Carries the reason only. */
export class CertificadoInvalido extends Error {
  readonly motivo: MotivoCertificado;

  constructor(motivo: MotivoCertificado) {
    super(motivo);
    this.name = 'CertificadoInvalido';
    this.motivo = motivo;
  }
}

/**
 * Reads the subject of an X.509 certificate as Node prints it: one RDN a line as `name=value`, several attributes of
 * one RDN joined by ` + `, special and leading characters behind a backslash (RFC 2253), control characters as `\XX`.
 * Returns name → values in order; names as OpenSSL shortens them (`CN`, `OU`, `x500UniqueIdentifier`).
 */
export function parseSubject(subject: string): ReadonlyMap<string, readonly string[]> {
  const attributes = new Map<string, string[]>();
  for (const attribute of subject.split('\n').flatMap((line) => line.split(' + '))) {
    const equals = attribute.indexOf('=');
    if (equals < 1) continue;
    const name = attribute.slice(0, equals);
    attributes.set(name, [...(attributes.get(name) ?? []), unescapeValue(attribute.slice(equals + 1))]);
  }
  return attributes;
}

function unescapeValue(value: string): string {
  return value.replace(/\\(?:([0-9A-Fa-f]{2})|(.))/gs, (_, hex: string | undefined, char: string | undefined) =>
    hex === undefined ? (char ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The authority that issued a certificate, or why it is not trusted. */
type ChainResult = X509Certificate | 'EMISOR_DESCONOCIDO' | 'EMISOR_NO_VIGENTE';

/** The authorities that may issue an e.firma. The operator extends the list when the SAT opens a new one. */
export interface TrustBundle {
  /** Subjects of the authorities, as Node prints them, for the start-up log. */
  readonly autoridades: readonly string[];
  /** The one that issued this certificate, while it was itself within its period. */
  check(certificado: X509Certificate): ChainResult;
}

/**
 * Reads authorities from PEM texts. Each one is trusted by itself, so the issuing authorities must be listed and not
 * only their root. Certificates that are no authority (the SAT publishes its OCSP responders beside them) are left out.
 * Throws RangeError when a block cannot be read or no authority is left.
 */
export function createTrustBundle(pems: readonly string[]): TrustBundle {
  const authorities = readAutoridades(pems).filter((x509) => x509.ca);
  if (authorities.length === 0) throw new RangeError('The trust bundle has no certificate of an authority');

  return {
    autoridades: authorities.map((authority) => authority.subject),
    check(certificado) {
      const issuers = authorities.filter((authority) => issued(authority, certificado));
      if (issuers.length === 0) return 'EMISOR_DESCONOCIDO';
      // When it signed, not now: an e.firma outlives the authority's own period.
      const since = Date.parse(certificado.validFrom);
      const wasValid = (issuer: X509Certificate) =>
        Date.parse(issuer.validFrom) <= since && since <= Date.parse(issuer.validTo);
      return issuers.find(wasValid) ?? 'EMISOR_NO_VIGENTE';
    },
  };
}

/** Every certificate of PEM texts, authority or not. Throws RangeError when a block cannot be read. */
export function readAutoridades(pems: readonly string[]): X509Certificate[] {
  return pems.flatMap((pem) => pem.match(PEM_BLOCK) ?? []).map(readAuthority);
}

/** Trusts no authority: every certificate is of an unknown one. */
export const EMPTY_TRUST: TrustBundle = { autoridades: [], check: () => 'EMISOR_DESCONOCIDO' };

function readAuthority(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new RangeError('The trust bundle has a certificate that cannot be read', { cause });
  }
}

export function issued(authority: X509Certificate, certificado: X509Certificate): boolean {
  try {
    return certificado.checkIssued(authority) && certificado.verify(authority.publicKey);
  } catch {
    // A signature that cannot even be computed with (another algorithm, a damaged key) proves nothing.
    return false;
  }
}

/** An e.firma or a CSD. What the SAT writes into one is in its "Anexo 20" and can be seen in every certificate. */
export interface Certificado {
  /** The certificate in DER, whatever format the file had. This form is stored. */
  readonly der: Buffer;
  /** Twenty digits: the bytes of the serial number are ASCII. */
  readonly noSerie: string;
  readonly rfc: string;
  /** Null for a legal person, which has none. */
  readonly curp: string | null;
  readonly nombre: string;
  /** Who signs for a legal person; null for a natural person. */
  readonly representante: { readonly rfc: string; readonly curp: string | null } | null;
  readonly vigenteDesde: Date;
  readonly vigenteHasta: Date;
  readonly tipo: 'efirma' | 'csd' | 'otro';
  readonly esEfirma: boolean;
  /** The issuer as Node prints it, one attribute a line. */
  readonly emisor: string;
  readonly publicKey: KeyObject;
}

/** One that was taken, with what may go wrong with it all the same. */
export interface CertificadoRevisado extends Certificado {
  readonly advertencias: readonly Advertencia[];
}

/** A certificate of the SAT has 1 to 2 KiB. */
const MAX_CERTIFICADO_BYTES = 16 * 1024;

const RFC = /^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/;
const CURP = /^[A-Z\d]{18}$/;
const NO_SERIE = /^\d{20}$/;
const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/**
 * Reads a certificate, DER or PEM, without judging it. Throws {@link CertificadoInvalido}: DEMASIADO_GRANDE,
 * NO_ES_CERTIFICADO, or NO_ES_DEL_SAT when it lacks the SAT's serial number or RFC.
 */
export function readCertificado(bytes: Buffer): Certificado {
  return describeCertificado(parseX509(bytes));
}

/** Only parses. Throws {@link CertificadoInvalido}: DEMASIADO_GRANDE or NO_ES_CERTIFICADO. */
function parseX509(bytes: Buffer): X509Certificate {
  if (bytes.length > MAX_CERTIFICADO_BYTES) throw new CertificadoInvalido('DEMASIADO_GRANDE');
  const der = derOf(bytes, ['CERTIFICATE']);
  if (der === null) throw new CertificadoInvalido('NO_ES_CERTIFICADO');
  return orNotACertificado(() => new X509Certificate(der));
}

function describeCertificado(x509: X509Certificate): Certificado {
  const fields = orNotACertificado(() => ({
    subject: parseSubject(x509.subject ?? ''),
    // Null when the issuer's name is empty, whatever the type says.
    emisor: x509.issuer ?? '',
    noSerie: Buffer.from(x509.serialNumber, 'hex').toString('latin1'),
    vigenteDesde: new Date(x509.validFrom),
    vigenteHasta: new Date(x509.validTo),
    publicKey: x509.publicKey,
    der: x509.raw,
  }));
  const { subject, noSerie, ...rest } = fields;
  if (Number.isNaN(rest.vigenteDesde.getTime()) || Number.isNaN(rest.vigenteHasta.getTime())) {
    throw new CertificadoInvalido('NO_ES_CERTIFICADO');
  }
  const ids = slashPair(subject.get('x500UniqueIdentifier'));
  const curps = slashPair(subject.get('serialNumber'));
  if (!NO_SERIE.test(noSerie) || ids === null || !RFC.test(ids[0])) {
    throw new CertificadoInvalido('NO_ES_DEL_SAT');
  }
  const [rfc, rfcRepresentante] = ids;
  const curp = (position: 0 | 1) => (CURP.test(curps?.[position] ?? '') ? (curps?.[position] ?? null) : null);
  const tipo = tipoOf(x509, subject.has('OU'));
  return {
    ...rest,
    noSerie,
    rfc,
    curp: curp(0),
    nombre: subject.get('CN')?.[0] ?? '',
    representante: RFC.test(rfcRepresentante) ? { rfc: rfcRepresentante, curp: curp(1) } : null,
    tipo,
    esEfirma: tipo === 'efirma',
  };
}

/** `RFC / RFC of the representative`, or the RFC alone. Null when the attribute is missing or there are several. */
function slashPair(values: readonly string[] | undefined): readonly [string, string] | null {
  const [value, ...more] = values ?? [];
  if (value === undefined || more.length > 0) return null;
  const [first = '', second = '', ...others] = value.split('/').map((part) => part.trim());
  return others.length > 0 ? null : [first, second];
}

/**
 * A CSD names an organisational unit; an e.firma does not, and may be used for e-mail protection and client
 * authentication.
 */
function tipoOf(x509: X509Certificate, hasUnit: boolean): Certificado['tipo'] {
  if (x509.ca) return 'otro';
  if (hasUnit) return 'csd';
  const uses: readonly string[] = x509.keyUsage ?? [];
  return uses.includes(EMAIL_PROTECTION) && uses.includes(CLIENT_AUTH) ? 'efirma' : 'otro';
}

function orNotACertificado<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new CertificadoInvalido('NO_ES_CERTIFICADO');
  }
}

const MIN_RSA_BITS = 2048;
const MIN_RSA_EXPONENT = 65537n;

/**
 * Reads a certificate, DER or PEM, and demands a usable e.firma of `rfc` (upper case) at the moment `now`, issued by an
 * authority of `trust`. Throws {@link CertificadoInvalido} with the first reason found, in the order of its list: an
 * expired certificate is VENCIDO even when its issuer is unknown. The file does not show a revocation; the SAT reports
 * it at the first use.
 */
export function checkCertificado(
  bytes: Buffer,
  expected: { readonly rfc: string; readonly now: Date; readonly trust: TrustBundle },
): CertificadoRevisado {
  const x509 = parseX509(bytes);
  const certificado = describeCertificado(x509);
  const { tipo, rfc, publicKey, vigenteDesde, vigenteHasta } = certificado;
  if (tipo === 'csd') throw new CertificadoInvalido('ES_CSD');
  if (tipo !== 'efirma') throw new CertificadoInvalido('NO_ES_EFIRMA');
  if (rfc !== expected.rfc) throw new CertificadoInvalido('RFC_DISTINTO');
  if (!isStrong(publicKey)) throw new CertificadoInvalido('LLAVE_DEBIL');
  if (expected.now < vigenteDesde) throw new CertificadoInvalido('AUN_NO_VIGENTE');
  if (expected.now > vigenteHasta) throw new CertificadoInvalido('VENCIDO');
  const chain = expected.trust.check(x509);
  if (typeof chain === 'string') throw new CertificadoInvalido(chain);
  return { ...certificado, advertencias: advertenciasDe(x509, chain) };
}

function isStrong(key: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  return key.asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS && publicExponent >= MIN_RSA_EXPONENT;
}
