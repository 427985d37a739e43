import { randomBytes } from 'node:crypto';
import type { CredencialEfirma } from '@acuse/core';
import {
  type Attribute,
  extension,
  pemOf,
  rsaPair,
  signedCertificate,
  USES_OF_EFIRMA,
} from '../../../vault/test/authority.ts';
import { bits, boolean, der, sequence } from '../../../vault/test/der-writer.ts';

interface CertificadoOptions {
  readonly rfc?: string;
  readonly validoDesde?: Date;
  readonly validoHasta?: Date;
  /** A seal for CFDI instead of an e.firma: an organisational unit, and no extended key usage. */
  readonly csd?: boolean;
  readonly numero?: string;
}

const EMISOR: readonly Attribute[] = [
  ['CN', 'AC DE PRUEBA'],
  ['O', 'Autoridad, de prueba & "hijos"'],
  ['C', 'MX'],
];
const DESDE = '2023-05-18T11:43:51Z';
const HASTA = '2049-05-17T11:43:51Z';
const SIGNS_AND_ENCRYPTS = extension('2.5.29.15', false, bits(Buffer.from([0xd8]), 3));

/** A new e.firma, or CSD, with its key already open. */
export function createEfirma(options: CertificadoOptions = {}): CredencialEfirma {
  const { rfc = 'EKU9003173C9', csd = false } = options;
  const pair = rsaPair();
  const cer = signedCertificate({
    noSerie: options.numero ?? `3000100000${String(randomBytes(4).readUInt32BE()).padStart(10, '0')}`,
    issuer: EMISOR,
    subject: [
      ['CN', 'EMPRESA DE PRUEBA Ñ'],
      ['x500UniqueIdentifier', `${rfc} / VADA800927DJ3`],
      ['serialNumber', ' / VADA800927HSRSRL05'],
      ...(csd ? [['OU', 'Sucursal 1'] as const] : []),
    ],
    from: options.validoDesde?.toISOString() ?? DESDE,
    to: options.validoHasta?.toISOString() ?? HASTA,
    publicKey: pair.publicKey,
    signedBy: pair,
    extensions: [extension('2.5.29.19', false, sequence()), SIGNS_AND_ENCRYPTS, ...(csd ? [] : [USES_OF_EFIRMA])],
  });
  return { tipo: 'efirma', rfc, cer, key: pair.pkcs8 };
}

/** A server certificate for a DNS name, signed by itself, with its key: both PEM. */
export function createCertificadoTls(dns: string): { cert: string; key: string } {
  const pair = rsaPair();
  const name: readonly Attribute[] = [['CN', dns]];
  const cer = signedCertificate({
    noSerie: '1',
    issuer: name,
    subject: name,
    from: DESDE,
    to: HASTA,
    publicKey: pair.publicKey,
    signedBy: pair,
    extensions: [
      extension('2.5.29.19', false, sequence(boolean(true))),
      extension('2.5.29.17', false, sequence(der(0x82, Buffer.from(dns, 'ascii')))),
    ],
  });
  return { cert: pemOf(cer, 'CERTIFICATE'), key: pemOf(pair.pkcs8, 'PRIVATE KEY') };
}
