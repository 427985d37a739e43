import { type KeyObject, X509Certificate } from 'node:crypto';
import { CertificadoInvalido } from './certificado-invalido.ts';
import { derOf } from './pem.ts';
import { parseSubject } from './subject.ts';

/** An e.firma or a CSD. What the SAT writes into one is in its "Anexo 20" and can be seen in every certificate. */
export interface Certificado {
  /** The certificate itself, DER, whatever form it came in: this is what is stored. */
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
export function parseX509(bytes: Buffer): X509Certificate {
  if (bytes.length > MAX_CERTIFICADO_BYTES) throw new CertificadoInvalido('DEMASIADO_GRANDE');
  const der = derOf(bytes, ['CERTIFICATE']);
  if (der === null) throw new CertificadoInvalido('NO_ES_CERTIFICADO');
  return orNotACertificado(() => new X509Certificate(der));
}

export function describeCertificado(x509: X509Certificate): Certificado {
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
