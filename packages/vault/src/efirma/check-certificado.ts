import type { KeyObject } from 'node:crypto';
import { type Certificado, describeCertificado, parseX509 } from './certificado.ts';
import { CertificadoInvalido } from './certificado-invalido.ts';
import type { TrustBundle } from './trust-bundle.ts';

const MIN_RSA_BITS = 2048;
const MIN_RSA_EXPONENT = 65537n;

/**
 * Reads a certificate, DER or PEM, and demands a usable e.firma of `rfc` (upper case) at the moment `now`, issued by an
 * authority of `trust`. Throws {@link CertificadoInvalido} with the first reason found, in the order of its list: a
 * certificate that is past its period is VENCIDO whoever issued it. Revocation cannot be seen from the file; the SAT
 * tells at the first use.
 */
export function checkCertificado(
  bytes: Buffer,
  expected: { readonly rfc: string; readonly now: Date; readonly trust: TrustBundle },
): Certificado {
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
  if (chain !== 'TRUSTED') throw new CertificadoInvalido(chain);
  return certificado;
}

function isStrong(key: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  return key.asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS && publicExponent >= MIN_RSA_EXPONENT;
}
