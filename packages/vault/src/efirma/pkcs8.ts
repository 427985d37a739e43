import { DER_INTEGER, DER_OCTET_STRING, DER_OID, DER_SEQUENCE, type DerElement, readDer, readDerList } from './der.ts';

/** Rounds of key derivation we are ready to compute: 50 times what the SAT uses (2,048), some 40 ms. */
export const MAX_ROUNDS = 100_000;

// Contents of the OBJECT IDENTIFIERs: PBES2 and PBKDF2 (RFC 8018, A.2 and A.4), pbeWithSHAAnd3-KeyTripleDES-CBC (RFC
// 7292, C).
const PBES2 = '2a864886f70d01050d';
const PBKDF2 = '2a864886f70d01050c';
const PBE_SHA1_3DES = '2a864886f70d010c0103';

/** What a PKCS#8 file is by its outer structure (RFC 5958): PrivateKeyInfo, EncryptedPrivateKeyInfo, or neither. */
export type Pkcs8Kind = 'plain' | 'encrypted' | 'unsupported' | null;

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
