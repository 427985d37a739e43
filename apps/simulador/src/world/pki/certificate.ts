import { type KeyObject, sign, X509Certificate } from 'node:crypto';
import { bitString, boolean, integer, octetString, oid, sequence, set, time, tlv } from './der.ts';

/** Attributes of a distinguished name, in order: dotted OID and text. */
export type DistinguishedName = readonly (readonly [type: string, text: string])[];

/** Key usages by their bit (RFC 5280 4.2.1.3). */
const KEY_USAGE = {
  digitalSignature: 0,
  nonRepudiation: 1,
  dataEncipherment: 3,
  keyAgreement: 4,
  keyCertSign: 5,
  cRLSign: 6,
} as const;

/** Extended key usages that every e.firma carries. */
export const EFIRMA_USAGES = ['1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.2'];

/** A certificate to be made. */
export type CertificateOrder = {
  subject: DistinguishedName;
  issuer: DistinguishedName;
  /** Big-endian bytes of the serial number. */
  serial: Uint8Array;
  notBefore: Date;
  notAfter: Date;
  publicKey: KeyObject;
  isAuthority: boolean;
  keyUsage: readonly (keyof typeof KEY_USAGE)[];
  extendedKeyUsage?: readonly string[] | undefined;
};

const SHA256_WITH_RSA = sequence(oid('1.2.840.113549.1.1.11'), tlv(0x05));
const UTF8_STRING = 0x0c;
const PRINTABLE_STRING = 0x13;
const IA5_STRING = 0x16;
const TAGS: Record<string, number> = { '2.5.4.6': PRINTABLE_STRING, '1.2.840.113549.1.9.1': IA5_STRING };

/** Makes an X.509 v3 certificate signed with RSA and SHA-256 (RFC 5280 4.1). */
export function signCertificate(order: CertificateOrder, signer: KeyObject): X509Certificate {
  const tbs = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(order.serial),
    SHA256_WITH_RSA,
    name(order.issuer),
    sequence(time(order.notBefore), time(order.notAfter)),
    name(order.subject),
    order.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions(order))),
  );
  return new X509Certificate(sequence(tbs, SHA256_WITH_RSA, bitString(sign('sha256', tbs, signer))));
}

function name(attributes: DistinguishedName): Buffer {
  const rdn = ([type, text]: readonly [string, string]) =>
    set(sequence(oid(type), tlv(TAGS[type] ?? UTF8_STRING, Buffer.from(text, 'utf8'))));
  return sequence(...attributes.map(rdn));
}

function extensions({ isAuthority, keyUsage, extendedKeyUsage }: CertificateOrder): Buffer[] {
  const bits = keyUsage.reduce((all, usage) => all | (0x80 >> KEY_USAGE[usage]), 0);
  const unused = Math.clz32(bits & -bits) === 32 ? 0 : 31 - Math.clz32(bits & -bits);
  const some = [
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), isAuthority),
    extension('2.5.29.15', bitString(Buffer.from([bits]), unused), isAuthority),
  ];
  if (extendedKeyUsage) some.push(extension('2.5.29.37', sequence(...extendedKeyUsage.map(oid)), false));
  return some;
}

function extension(type: string, value: Buffer, isCritical: boolean): Buffer {
  return sequence(oid(type), ...(isCritical ? [boolean(true)] : []), octetString(value));
}
