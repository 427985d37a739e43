import { createPrivateKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import type { Certificado } from './certificado.ts';
import { LlaveInvalida } from './llave-invalida.ts';
import { derOf } from './pem.ts';
import { pkcs8Kind } from './pkcs8.ts';

/** A .key of the SAT has some 1,300 bytes. */
const MAX_LLAVE_BYTES = 16 * 1024;

/**
 * Opens the private key of an e.firma: PKCS#8, DER as the SAT gives it or PEM, and returns it as DER without its
 * password, in a buffer that the caller zeroes. A key that has no password opens with any. `password` is UTF-8; it is
 * neither kept nor zeroed here. Throws {@link LlaveInvalida}. Runs some milliseconds, 40 at the most.
 */
export function openLlave(bytes: Buffer, password: Buffer): Buffer {
  if (bytes.length > MAX_LLAVE_BYTES) throw new LlaveInvalida('DEMASIADO_GRANDE');
  const der = derOf(bytes, ['ENCRYPTED PRIVATE KEY', 'PRIVATE KEY']);
  const kind = der === null ? null : pkcs8Kind(der);
  if (der === null || kind === null) throw new LlaveInvalida('NO_ES_LLAVE');
  if (kind === 'unsupported') throw new LlaveInvalida('CIFRADO_NO_SOPORTADO');
  try {
    const key = decrypt(der, kind === 'encrypted' ? password : null);
    if (key.asymmetricKeyType !== 'rsa') throw new LlaveInvalida('NO_ES_RSA');
    return key.export({ type: 'pkcs8', format: 'der' });
  } finally {
    if (der !== bytes) der.fill(0);
  }
}

function decrypt(der: Buffer, password: Buffer | null): KeyObject {
  try {
    const passphrase = password === null ? {} : { passphrase: password };
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8', ...passphrase });
  } catch (error) {
    if (password === null) throw new LlaveInvalida('NO_ES_LLAVE');
    // A wrong password mostly fails as a bad decryption, but 1 in 256 passes the padding and fails as ASN.1.
    throw new LlaveInvalida(isUnsupported(error) ? 'CIFRADO_NO_SOPORTADO' : 'PASSWORD_INCORRECTA');
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OSSL_EVP_UNSUPPORTED';
}

/**
 * Whether a private key (PKCS#8 DER without password) is the certificate's. Signs a random text and verifies it:
 * comparing the public halves would take a file with the right modulus and a wrong private exponent.
 */
export function llaveCorresponde(certificado: Pick<Certificado, 'publicKey'>, key: Buffer): boolean {
  const probe = randomBytes(32);
  try {
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    return verify('sha256', probe, certificado.publicKey, sign('sha256', probe, privateKey));
  } catch {
    return false;
  }
}
