import {
  createSign,
  generateKeyPairSync,
  getDiffieHellman,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import type { CredencialEfirma } from '@acuse/core';

/** Certificates in the shape of the SAT's, made for tests: X.509 v3 written as DER by hand, signed by a key made on the spot. */
export interface CertificadoOptions {
  readonly rfc?: string;
  readonly validoDesde?: Date;
  readonly validoHasta?: Date;
  /** A seal for CFDI instead of an e.firma: an organisational unit, and no extended key usage. */
  readonly csd?: boolean;
  readonly numero?: string;
}

const ALGORITMO = seq(oid('1.2.840.113549.1.1.11'), tlv(0x05));
const EMISOR: [string, string][] = [
  ['2.5.4.3', 'AC DE PRUEBA'],
  ['2.5.4.10', 'Autoridad, de prueba & "hijos"'],
  ['2.5.4.6', 'MX'],
];

/** A new e.firma, or CSD, with its key already open. */
export function createEfirma(options: CertificadoOptions = {}): CredencialEfirma {
  const rfc = options.rfc ?? 'EKU9003173C9';
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    tipo: 'efirma',
    rfc,
    cer: createCertificado(rfc, publicKey, privateKey, options),
    key: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
}

function createCertificado(rfc: string, publica: KeyObject, ca: KeyObject, o: CertificadoOptions): Buffer {
  const emailAndClient = seq(oid('1.3.6.1.5.5.7.3.4'), oid('1.3.6.1.5.5.7.3.2'));
  const extensions = [
    extension('2.5.29.19', seq()),
    extension('2.5.29.15', tlv(0x03, Buffer.from([3, 0xd8]))),
  ];
  if (!o.csd) extensions.push(extension('2.5.29.37', emailAndClient));
  return sealed({
    numero: o.numero ?? `3000100000${String(randomBytes(4).readUInt32BE()).padStart(10, '0')}`,
    emisor: EMISOR,
    sujeto: [
      ['2.5.4.3', 'EMPRESA DE PRUEBA Ñ'],
      ['2.5.4.45', `${rfc} / VADA800927DJ3`],
      ['2.5.4.5', ' / VADA800927HSRSRL05'],
      ...(o.csd ? ([['2.5.4.11', 'Sucursal 1']] as [string, string][]) : []),
    ],
    desde: o.validoDesde ?? new Date('2023-05-18T11:43:51Z'),
    hasta: o.validoHasta ?? new Date('2049-05-17T11:43:51Z'),
    publica,
    extensions,
    ca,
  });
}

/** A server certificate for a DNS name, signed by itself, with its key: both PEM. */
export function createCertificadoTls(dns: string): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = sealed({
    numero: '1',
    emisor: [['2.5.4.3', dns]],
    sujeto: [['2.5.4.3', dns]],
    desde: new Date('2023-05-18T11:43:51Z'),
    hasta: new Date('2049-05-17T11:43:51Z'),
    publica: publicKey,
    extensions: [
      extension('2.5.29.19', seq(tlv(0x01, Buffer.from([0xff])))),
      extension('2.5.29.17', seq(tlv(0x82, Buffer.from(dns, 'ascii')))),
    ],
    ca: privateKey,
  });
  return {
    cert: new X509Certificate(der).toString(),
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

interface Contenido {
  readonly numero: string;
  readonly emisor: [string, string][];
  readonly sujeto: [string, string][];
  readonly desde: Date;
  readonly hasta: Date;
  readonly publica: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly ca: KeyObject;
}

function sealed(c: Contenido): Buffer {
  const tbs = seq(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from(c.numero, 'ascii')),
    ALGORITMO,
    name(c.emisor),
    seq(utcTime(c.desde), utcTime(c.hasta)),
    name(c.sujeto),
    c.publica.export({ format: 'der', type: 'spki' }),
    tlv(0xa3, seq(...c.extensions)),
  );
  const seal = createSign('RSA-SHA256').update(tbs).sign(c.ca);
  return seq(tbs, ALGORITMO, tlv(0x03, Buffer.from([0]), seal));
}

function tlv(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const hex = body.length.toString(16);
  const size = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, body]);
}

function seq(...contents: Buffer[]): Buffer {
  return tlv(0x30, ...contents);
}

function oid(dotted: string): Buffer {
  const [a = 0, b = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [a * 40 + b];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let value = part >>> 7; value > 0; value >>>= 7) groups.unshift((value & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tlv(0x06, Buffer.from(bytes));
}

function name(pairs: [string, string][]): Buffer {
  return seq(...pairs.map(([type, text]) => tlv(0x31, seq(oid(type), tlv(0x0c, Buffer.from(text, 'utf8'))))));
}

function extension(type: string, value: Buffer): Buffer {
  return seq(oid(type), tlv(0x04, value));
}

function utcTime(date: Date): Buffer {
  return tlv(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`, 'ascii'));
}

/** Diffie-Hellman parameters of 1,024 bits (group 2 of RFC 2409), PEM: what old servers offer. */
export function smallDhParams(): string {
  const group = getDiffieHellman('modp2');
  const der = seq(tlv(0x02, Buffer.from([0]), group.getPrime()), tlv(0x02, group.getGenerator()));
  return `-----BEGIN DH PARAMETERS-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END DH PARAMETERS-----\n`;
}
