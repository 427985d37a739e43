import { X509Certificate } from 'node:crypto';

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

type ChainResult = 'TRUSTED' | 'EMISOR_DESCONOCIDO' | 'EMISOR_NO_VIGENTE';

/** The authorities that may issue an e.firma. The operator extends the list when the SAT opens a new one. */
export interface TrustBundle {
  /** Subjects of the authorities, as Node prints them, for the start-up log. */
  readonly autoridades: readonly string[];
  /** Whether one of them issued this certificate, while it was itself within its period. */
  check(certificado: X509Certificate): ChainResult;
}

/**
 * Reads authorities from PEM texts. Each one is trusted by itself, so the issuing authorities must be listed and not
 * only their root. Certificates that are no authority (the SAT publishes its OCSP responders beside them) are left out.
 * Throws RangeError when a block cannot be read or no authority is left.
 */
export function createTrustBundle(pems: readonly string[]): TrustBundle {
  const authorities = pems
    .flatMap((pem) => pem.match(PEM_BLOCK) ?? [])
    .map(readAuthority)
    .filter((x509) => x509.ca);
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
      return issuers.some(wasValid) ? 'TRUSTED' : 'EMISOR_NO_VIGENTE';
    },
  };
}

function readAuthority(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new RangeError('The trust bundle has a certificate that cannot be read', { cause });
  }
}

function issued(authority: X509Certificate, certificado: X509Certificate): boolean {
  try {
    return certificado.checkIssued(authority) && certificado.verify(authority.publicKey);
  } catch {
    // A signature that cannot even be computed with (another algorithm, a damaged key) proves nothing.
    return false;
  }
}
