import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  bits,
  boolean,
  der,
  integer,
  nothing,
  octets,
  oid,
  printable,
  sequence,
  set,
  time,
  utf8,
} from './der-writer.ts';

/** Makes authorities, e.firmas and CSDs in the shape of the SAT's (RFC 5280), for tests. */

export interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** PKCS#8 DER without password. */
  readonly pkcs8: Buffer;
}

// Encoded by the generation and read back: Node 20 can hang when a generated KeyObject is exported.
const SPKI = { type: 'spki', format: 'der' } as const;
const PKCS8 = { type: 'pkcs8', format: 'der' } as const;

function pairOf({ privateKey: pkcs8 }: { privateKey: Buffer }): Pair {
  const privateKey = createPrivateKey({ key: pkcs8, ...PKCS8 });
  return { privateKey, publicKey: createPublicKey(privateKey), pkcs8 };
}

const RING = 8;
const ring: Pair[] = [];
let drawn = 0;

/** An RSA pair that differs from the seven before it; then they come again: making one takes a sixth of a second. */
export function rsaPair(): Pair {
  const place = drawn++ % RING;
  ring[place] ??= newRsaPair();
  return ring[place];
}

export function newRsaPair(modulusLength = 2048, publicExponent = 65537): Pair {
  return pairOf(
    generateKeyPairSync('rsa', { modulusLength, publicExponent, publicKeyEncoding: SPKI, privateKeyEncoding: PKCS8 }),
  );
}

export function ecPair(): Pair {
  return pairOf(generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding: SPKI, privateKeyEncoding: PKCS8 }));
}

/** As the SAT encrypts it: PBES2 with PBKDF2 (2,048 rounds) and 3DES. */
export function encryptLlave({ privateKey }: Pair, passphrase: string, cipher = 'des-ede3-cbc'): Buffer {
  return privateKey.export({ type: 'pkcs8', format: 'der', cipher, passphrase });
}

export function pemOf(bytes: Buffer, label: string): string {
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

const OIDS = {
  CN: '2.5.4.3',
  serialNumber: '2.5.4.5',
  C: '2.5.4.6',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  name: '2.5.4.41',
  x500UniqueIdentifier: '2.5.4.45',
} as const;
export type Attribute = readonly [keyof typeof OIDS, string];

function nameOf(attributes: readonly Attribute[]): Buffer {
  return sequence(
    ...attributes.map(([name, value]) => {
      const text = name === 'C' || name === 'serialNumber' ? printable(value) : utf8(value);
      return set(sequence(oid(OIDS[name]), text));
    }),
  );
}

const SHA256_WITH_RSA = sequence(oid('1.2.840.113549.1.1.11'), nothing());
/** An extension of a certificate: its identifier, and its value as DER. */
export const extension = (id: string, critical: boolean, value: Buffer) =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));
const BASIC_AUTHORITY = extension('2.5.29.19', true, sequence(boolean(true)));
const BASIC_END = extension('2.5.29.19', true, sequence());
const SIGNS_CERTIFICATES = extension('2.5.29.15', true, bits(Buffer.from([0x06]), 1));
const SIGNS_DOCUMENTS = extension('2.5.29.15', true, bits(Buffer.from([0xc0]), 6));
export const USES_OF_EFIRMA = extension(
  '2.5.29.37',
  false,
  sequence(oid('1.3.6.1.5.5.7.3.4'), oid('1.3.6.1.5.5.7.3.2')),
);

/** Any certificate, signed with RSA and SHA-256, as DER. */
export function signedCertificate(options: {
  readonly noSerie: string;
  readonly issuer: readonly Attribute[];
  readonly subject: readonly Attribute[];
  readonly from: string;
  readonly to: string;
  readonly publicKey: KeyObject;
  readonly signedBy: Pick<Pair, 'privateKey'>;
  readonly extensions: readonly Buffer[];
}): Buffer {
  const { noSerie, issuer, subject, from, to, publicKey, signedBy, extensions } = options;
  const body = sequence(
    der(0xa0, integer(2)),
    integer(Buffer.from(noSerie, 'latin1')),
    SHA256_WITH_RSA,
    nameOf(issuer),
    sequence(time(new Date(from)), time(new Date(to))),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(body, SHA256_WITH_RSA, bits(sign('sha256', body, signedBy.privateKey)));
}

export interface Authority {
  readonly pair: Pair;
  readonly name: readonly Attribute[];
  readonly der: Buffer;
  readonly pem: string;
}

export function createAuthority(options: {
  readonly pair: Pair;
  readonly from: string;
  readonly to: string;
  readonly isAuthority?: boolean;
  readonly commonName?: string;
}): Authority {
  const { pair, from, to, isAuthority = true, commonName = 'AUTORIDAD CERTIFICADORA DE PRUEBA' } = options;
  const name: readonly Attribute[] = [
    ['CN', commonName],
    ['O', 'PRUEBAS'],
    ['C', 'MX'],
  ];
  const certificate = signedCertificate({
    noSerie: '00000000000000000001',
    issuer: name,
    subject: name,
    from,
    to,
    publicKey: pair.publicKey,
    signedBy: pair,
    extensions: isAuthority ? [BASIC_AUTHORITY, SIGNS_CERTIFICATES] : [BASIC_END],
  });
  return { pair, name, der: certificate, pem: pemOf(certificate, 'CERTIFICATE') };
}

export interface CertificateOptions {
  readonly authority: Authority;
  readonly pair: Pair;
  /** `RFC` or `RFC / RFC of the representative`. */
  readonly id: string;
  /** `CURP` or ` / CURP`. */
  readonly curp: string;
  readonly nombre: string;
  readonly from: string;
  readonly to: string;
  readonly noSerie?: string;
  /** Organisational unit, of a CSD. */
  readonly unit?: string;
  readonly isAuthority?: boolean;
  readonly withoutUses?: boolean;
  /** At the end of the subject. */
  readonly more?: readonly Attribute[];
}

/**
 * A certificate as DER. A CSD (`unit`) has basic constraints and key usage only; an e.firma has its two extended uses
 * too.
 */
export function createCertificate(options: CertificateOptions): Buffer {
  const { authority, pair, id, curp, nombre, from, to, unit, more = [] } = options;
  const hasUses = unit === undefined && !options.withoutUses;
  return signedCertificate({
    noSerie: options.noSerie ?? '30001000000500003415',
    issuer: authority.name,
    subject: [
      ['CN', nombre],
      ['name', nombre],
      ['O', nombre],
      ['C', 'MX'],
      ['x500UniqueIdentifier', id],
      ['serialNumber', curp],
      ...(unit === undefined ? [] : [['OU', unit] as const]),
      ...more,
    ],
    from,
    to,
    publicKey: pair.publicKey,
    signedBy: authority.pair,
    extensions: [
      ...(options.isAuthority ? [BASIC_AUTHORITY, SIGNS_CERTIFICATES] : [BASIC_END, SIGNS_DOCUMENTS]),
      ...(hasUses ? [USES_OF_EFIRMA] : []),
    ],
  });
}
