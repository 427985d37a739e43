import { createPrivateKey, createSign, type KeyObject, X509Certificate } from 'node:crypto';
import { type CredencialEfirma, SatError } from '@acuse/core';

/** Data of the signer in a message. */
export interface SignerData {
  /** SHA-256 of the certificate: what a token is cached under. */
  readonly huella: string;
  /** The certificate, DER in base64 without line breaks. */
  readonly certificado: string;
  /** RFC 4514 order and escapes. The SAT does not compare it as text: every public client writes it differently. */
  readonly emisor: string;
  /** Decimal, as xmldsig asks. */
  readonly serie: string;
  readonly validoDesde: Date;
  readonly validoHasta: Date;
}

/** An e.firma ready to sign. */
export interface Signer extends SignerData {
  /** The moment, milliseconds, that an authentication made now is dated at. */
  momento(now: number): number;
  /** RSA-SHA1 over the UTF-8 bytes, base64: the only algorithm that any client of the service was seen to use. */
  sign(text: string): string;
}

/** Opens an e.firma. Throws as {@link readPair} does. */
export function openEfirma(credencial: CredencialEfirma): Signer {
  const { datos, key } = readPair(credencial);
  return {
    ...datos,
    momento: (now) => now,
    sign: (text) => createSign('RSA-SHA1').update(text, 'utf8').sign(key, 'base64'),
  };
}

const datosDe = (cert: X509Certificate): SignerData => ({
  huella: cert.fingerprint256,
  certificado: cert.raw.toString('base64'),
  emisor: cert.issuer.split('\n').reverse().join(','),
  serie: BigInt(`0x${cert.serialNumber}`).toString(),
  validoDesde: new Date(cert.validFrom),
  validoHasta: new Date(cert.validTo),
});

/** Certificates read last, by their bytes. A certificate is no secret. */
const leidos = new Map<string, { readonly cert: X509Certificate; readonly datos: SignerData }>();
const MAX_LEIDOS = 100;

/** Reads a certificate, DER. Throws an Error of OpenSSL where it is none. */
export function readCert(cer: Buffer) {
  const bytes = cer.toString('latin1');
  const known = leidos.get(bytes);
  if (known !== undefined) return known;
  const cert = new X509Certificate(cer);
  const leido = { cert, datos: datosDe(cert) };
  if (leidos.size === MAX_LEIDOS) leidos.clear();
  leidos.set(bytes, leido);
  return leido;
}

/** Version, algorithm and beginning of an RSA key in PKCS#8, between the length of the whole and that of the key. */
const RSA_EN_PKCS8 = Buffer.from('020100300d06092a864886f70d01010105000482', 'hex');

/** Reads a private key, PKCS#8 DER. OpenSSL 3 reads an RSA key without that cover in a third of the time. */
export function readKey(key: Buffer): KeyObject {
  const at = 4 + RSA_EN_PKCS8.length + 2;
  const isRsa = key.indexOf(RSA_EN_PKCS8) === 4 && key.readUInt16BE(at - 2) === key.length - at;
  return createPrivateKey(
    isRsa ? { key: key.subarray(at), format: 'der', type: 'pkcs1' } : { key, format: 'der', type: 'pkcs8' },
  );
}

/** Reads an e.firma. Throws EFIRMA_RECHAZADA when it cannot be read or the key is not the certificate's pair. */
export function readPair(credencial: CredencialEfirma): { readonly datos: SignerData; readonly key: KeyObject } {
  const { cert, datos, key } = parsePair(credencial);
  if (!cert.checkPrivateKey(key)) {
    throw new SatError('EFIRMA_RECHAZADA', { detalle: 'la llave no es la del certificado' });
  }
  return { datos, key };
}

function parsePair({ cer, key }: CredencialEfirma) {
  try {
    return { ...readCert(cer), key: readKey(key) };
  } catch {
    // Without its cause: an error of the key parser may describe the key.
    throw new SatError('EFIRMA_RECHAZADA', { detalle: 'el certificado o la llave no se puede leer' });
  }
}
