import { createPrivateKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import type { Certificado } from './certificado.ts';
import { type DerElement, readDer } from './der.ts';
import { derOf } from './pem.ts';

/**
 * Why a private key is refused:
 * - `NO_ES_LLAVE`: not a PKCS#8 private key, DER or PEM, encrypted or not;
 * - `DEMASIADO_GRANDE`: more than 16 KiB;
 * - `CIFRADO_NO_SOPORTADO`: encrypted by a scheme that OpenSSL 3 no longer opens (DES, RC2, MD5), by one we refuse (scrypt), or
 *   with so many rounds that opening it would stall the service;
 * - `PASSWORD_INCORRECTA`: it does not open;
 * - `NO_ES_RSA`: it opens, and is a key of another kind.
 */
export type MotivoLlave =
  | 'NO_ES_LLAVE'
  | 'DEMASIADO_GRANDE'
  | 'CIFRADO_NO_SOPORTADO'
  | 'PASSWORD_INCORRECTA'
  | 'NO_ES_RSA';

/**
 * A private key that cannot be used. Carries the reason only: no cause, since OpenSSL's errors may quote their input.
 */
export class LlaveInvalida extends Error {
  readonly motivo: MotivoLlave;

  constructor(motivo: MotivoLlave) {
    super(motivo);
    this.name = 'LlaveInvalida';
    this.motivo = motivo;
  }
}

const DER_INTEGER = 0x02;
const DER_OCTET_STRING = 0x04;
const DER_OID = 0x06;
const DER_SEQUENCE = 0x30;

/** The elements of a SEQUENCE's contents, or null when they are not whole. At most `limit` are read. */
function readDerList(contents: Buffer, limit: number): readonly DerElement[] | null {
  const elements: DerElement[] = [];
  let rest = contents;
  while (rest.length > 0 && elements.length < limit) {
    const element = readDer(rest);
    if (element === null) return null;
    elements.push(element);
    rest = element.rest;
  }
  return elements;
}

/** Rounds of key derivation we are ready to compute: 50 times what the SAT uses (2,048), some 40 ms. */
export const MAX_ROUNDS = 100_000;

// Contents of the OBJECT IDENTIFIERs: PBES2 and PBKDF2 (RFC 8018, A.2 and A.4), pbeWithSHAAnd3-KeyTripleDES-CBC (RFC
// 7292, C).
const PBES2 = '2a864886f70d01050d';
const PBKDF2 = '2a864886f70d01050c';
const PBE_SHA1_3DES = '2a864886f70d010c0103';

/** What a PKCS#8 file is by its outer structure (RFC 5958): PrivateKeyInfo, EncryptedPrivateKeyInfo, or neither. */
type Pkcs8Kind = 'plain' | 'encrypted' | 'unsupported' | null;

/**
 * Looks at the outer structure only, before any password is tried. `unsupported` is an EncryptedPrivateKeyInfo whose
 * scheme or number of rounds we do not take.
 */
export function pkcs8Kind(der: Buffer): Pkcs8Kind {
  const outer = sequence(readDer(der));
  if (outer === null) return null;
  const [first, second, third] = outer;
  if (first?.tag === DER_INTEGER) {
    return second?.tag === DER_SEQUENCE && third?.tag === DER_OCTET_STRING ? 'plain' : null;
  }
  const scheme = algorithm(first);
  if (scheme === null || second?.tag !== DER_OCTET_STRING) return null;
  return isTaken(scheme) ? 'encrypted' : 'unsupported';
}

interface Algorithm {
  readonly oid: string;
  readonly parameters: DerElement | undefined;
}

function sequence(element: DerElement | null | undefined): readonly DerElement[] | null {
  return element?.tag === DER_SEQUENCE ? readDerList(element.contents, 8) : null;
}

function algorithm(element: DerElement | undefined): Algorithm | null {
  const [oid, parameters] = sequence(element) ?? [];
  return oid?.tag === DER_OID ? { oid: oid.contents.toString('hex'), parameters } : null;
}

function isTaken({ oid, parameters }: Algorithm): boolean {
  if (oid === PBE_SHA1_3DES) return hasFewRounds(parameters);
  if (oid !== PBES2) return false;
  const derivation = algorithm(sequence(parameters)?.[0]);
  return derivation?.oid === PBKDF2 && hasFewRounds(derivation.parameters);
}

/** Both schemes begin their parameters with salt and rounds. */
function hasFewRounds(parameters: DerElement | undefined): boolean {
  const rounds = sequence(parameters)?.[1];
  if (rounds?.tag !== DER_INTEGER || rounds.contents.length === 0 || rounds.contents.length > 4) return false;
  const count = rounds.contents.readIntBE(0, rounds.contents.length);
  return count >= 1 && count <= MAX_ROUNDS;
}

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
export function keyMatches(certificado: Pick<Certificado, 'publicKey'>, key: Buffer): boolean {
  const probe = randomBytes(32);
  try {
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    return verify('sha256', probe, certificado.publicKey, sign('sha256', probe, privateKey));
  } catch {
    return false;
  }
}
