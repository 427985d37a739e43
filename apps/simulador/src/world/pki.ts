import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  randomInt,
  sign,
  X509Certificate,
} from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What to issue. `csd` asks for a seal certificate, which is no e.firma. */
export type EfirmaOrder = {
  rfc: string;
  nombre: string;
  password: string;
  desde: Date;
  vence: Date;
  csd?: boolean | undefined;
  /** CURP of a natural person; default: one made from the RFC. Without effect for a legal one. */
  curp?: string | undefined;
};

/** An issued certificate (DER) with its key (PKCS#8 DER, PBES2 with des-ede3-cbc, as the SAT gives it). */
export type Efirma = { numero: string; cer: Buffer; key: Buffer; password: string };

/** Facts of a presented certificate. */
export type Certificado = {
  x509: X509Certificate;
  rfc: string;
  /** The 20 digits that the serial's bytes spell. */
  numero: string;
  tipo: 'fiel' | 'csd';
  /** Issued by this simulator's authority, signature checked. */
  isOwn: boolean;
  isRevoked: boolean;
};

/** The simulator's certification authority. */
export type Pki = Awaited<ReturnType<typeof createPki>>;

/** Opens the authority of `dataDir`, or one that lives in memory. */
export async function createPki({ dataDir }: { dataDir?: string | undefined } = {}) {
  const authority = await openAuthority(dataDir);
  const issued = new Map<string, Buffer>();
  const revoked = new Set<string>();
  const folder = dataDir === undefined ? undefined : join(dataDir, 'certificados');
  if (folder !== undefined) await mkdir(folder, { recursive: true });

  const inspect = (der: Uint8Array): Certificado => {
    const certificate = new X509Certificate(der);
    const numero = Buffer.from(certificate.serialNumber, 'hex').toString('latin1');
    const hasUnit = /^OU=/m.test(certificate.subject);
    return {
      x509: certificate,
      rfc: rfcOf(certificate),
      numero,
      tipo: hasUnit || certificate.keyUsage === undefined ? 'csd' : 'fiel',
      isOwn: certificate.checkIssued(authority.issuing) && certificate.verify(authority.issuing.publicKey),
      isRevoked: revoked.has(numero),
    };
  };

  const certify = (order: Omit<EfirmaOrder, 'password'>, numero: string, publicKey: KeyObject): Buffer =>
    signCertificate(
      {
        subject: subjectOf(order),
        issuer: ISSUING_NAME,
        serial: Buffer.from(numero, 'latin1'),
        notBefore: order.desde,
        notAfter: order.vence,
        publicKey,
        isAuthority: false,
        keyUsage: order.csd
          ? ['digitalSignature', 'nonRepudiation']
          : ['digitalSignature', 'nonRepudiation', 'dataEncipherment', 'keyAgreement'],
        extendedKeyUsage: order.csd ? undefined : EFIRMA_USAGES,
      },
      authority.issuingKey,
    ).raw;

  return {
    /** Root and issuing certificates, PEM. */
    caPem: `${authority.root}${authority.issuing}`,
    /** A certificate (DER) for a public key; the same values always give the same bytes. */
    certify,
    /** Reads a DER certificate; throws when it is none. Dates are for the caller to compare with its clock. */
    inspect,
    issue: async (order: EfirmaOrder): Promise<Efirma> => {
      const numero = `3000100000${String(randomInt(10 ** 10)).padStart(10, '0')}`;
      const keys = await keySource.efirma();
      const cer = certify(order, numero, keys.publicKey);
      issued.set(numero, cer);
      if (folder !== undefined) await writeFile(join(folder, `${numero}.cer`), cer);
      const key = keys.privateKey.export({
        type: 'pkcs8',
        format: 'der',
        cipher: 'des-ede3-cbc',
        passphrase: order.password,
      });
      return { numero, cer, key, password: order.password };
    },
    /** A server's certificate with its chain, and its key (PEM), good for a year at these names and addresses. */
    issueServer: async (hosts: readonly string[]): Promise<{ cert: string; key: string }> => {
      const keys = await keySource.efirma();
      const now = Date.now();
      const certificate = signCertificate(
        {
          subject: [['2.5.4.3', 'SIMULADOR']],
          issuer: ISSUING_NAME,
          serial: Buffer.concat([Buffer.from([1]), randomBytes(15)]),
          notBefore: new Date(now - DAY_MS),
          notAfter: new Date(now + 365 * DAY_MS),
          publicKey: keys.publicKey,
          issuerKey: createPublicKey(authority.issuingKey),
          isAuthority: false,
          keyUsage: ['digitalSignature'],
          extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'],
          hosts,
        },
        authority.issuingKey,
      );
      const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
      return { cert: `${certificate}${authority.issuing}`, key: String(key) };
    },
    /** An issued certificate by its 20-digit number, or null. */
    find: async (numero: string): Promise<Certificado | null> => {
      if (!/^\d{20}$/.test(numero)) return null;
      const der = issued.get(numero) ?? (folder && (await readFile(join(folder, `${numero}.cer`)).catch(() => null)));
      return der ? inspect(der) : null;
    },
    revoke: (numero: string) => {
      revoked.add(numero);
    },
  };
}

/** The subject's x500UniqueIdentifier: the RFC alone, or `RFC / RFC of the representative`. */
function rfcOf(certificate: X509Certificate): string {
  const line = /^(?:x500UniqueIdentifier|2\.5\.4\.45)=(.*)$/m.exec(certificate.subject)?.[1] ?? '';
  return (line.replaceAll('\\', '').split('/')[0] ?? '').trim();
}

/** Legal persons name a representative, natural ones only themselves; a CURP writes N for Ñ. */
function subjectOf({ rfc, nombre, csd, curp: known }: Omit<EfirmaOrder, 'password'>): DistinguishedName {
  const isMoral = rfc.length === 12;
  const own = known ?? `${rfc.slice(0, 10).replace('Ñ', 'N')}HDFLPR09`;
  const curp = isMoral ? ' / XIQB891116MCHZRL72' : own;
  return [
    ['2.5.4.3', nombre],
    ['2.5.4.41', nombre],
    ['2.5.4.10', nombre],
    ['2.5.4.6', 'MX'],
    ['1.2.840.113549.1.9.1', 'contribuyente@simulador.invalid'],
    ['2.5.4.45', isMoral ? `${rfc} / XIQB891116QE4` : rfc],
    ['2.5.4.5', curp],
    ...(csd ? [['2.5.4.11', 'MATRIZ'] as const] : []),
  ];
}

const DAY_MS = 86_400_000;
const generateRsa = promisify(generateKeyPair);
export type Keys = { publicKey: KeyObject; privateKey: KeyObject };

/** Root and issuing authority of the simulator, plainly named as a test authority. */
type Authority = { root: X509Certificate; issuing: X509Certificate; issuingKey: KeyObject };

/** Subject of the authority that issues e.firmas and CSDs. */
const ISSUING_NAME: DistinguishedName = [
  ['2.5.4.3', 'AC SIMULADOR'],
  ['2.5.4.10', 'SIMULADOR ACUSE, SIN VALIDEZ FISCAL'],
  ['2.5.4.11', 'AUTORIDAD DE PRUEBAS'],
  ['2.5.4.6', 'MX'],
];
const ROOT_NAME: DistinguishedName = [
  ['2.5.4.3', 'AC RAIZ SIMULADOR'],
  ['2.5.4.10', 'SIMULADOR ACUSE'],
  ['2.5.4.6', 'MX'],
];

/** Reads the authority in `dataDir`, or creates it there: `autoridad.pem` with its key, `ca.pem` for clients. */
async function openAuthority(dataDir: string | undefined): Promise<Authority> {
  if (dataDir === undefined) return makeAuthority();
  const kept = await readAuthority(dataDir);
  if (kept) return kept;
  const made = await makeAuthority();
  await mkdir(dataDir, { recursive: true });
  const certificates = `${made.root}${made.issuing}`;
  const key = made.issuingKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(join(dataDir, 'ca.pem'), certificates);
  await writeFile(join(dataDir, 'autoridad.pem'), `${certificates}${key}`, { mode: 0o600 });
  return made;
}

/** A fresh RSA key pair of 2048 bits, the size of every e.firma. */
export const generateKeys = (): Promise<Keys> => generateRsa('rsa', { modulusLength: 2048 });

/** Where keys come from. A pair takes a sixth of a second of a core, so tests give theirs again (test/reuse-keys.ts). */
export const keySource = { authority: generateKeys, efirma: generateKeys };

async function makeAuthority(): Promise<Authority> {
  const [rootKeys, issuingKeys] = await Promise.all([keySource.authority(), keySource.authority()]);
  const common = {
    issuer: ROOT_NAME,
    notBefore: new Date('2015-01-01T00:00:00Z'),
    notAfter: new Date('2075-01-01T00:00:00Z'),
    issuerKey: rootKeys.publicKey,
    isAuthority: true,
    keyUsage: ['keyCertSign', 'cRLSign'] as const,
  };
  const root = signCertificate(
    { ...common, subject: ROOT_NAME, serial: Buffer.from([1]), publicKey: rootKeys.publicKey },
    rootKeys.privateKey,
  );
  const issuing = signCertificate(
    { ...common, subject: ISSUING_NAME, serial: Buffer.from([2]), publicKey: issuingKeys.publicKey },
    rootKeys.privateKey,
  );
  return { root, issuing, issuingKey: issuingKeys.privateKey };
}

async function readAuthority(dataDir: string): Promise<Authority | null> {
  const pem = await readFile(join(dataDir, 'autoridad.pem'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const [root, issuing, key] = pem.match(/-----BEGIN [\s\S]+?-----END [A-Z ]+-----\n?/g) ?? [];
  if (!root || !issuing || !key) return null;
  return { root: new X509Certificate(root), issuing: new X509Certificate(issuing), issuingKey: createPrivateKey(key) };
}

/** Attributes of a distinguished name, in order: dotted OID and text. */
type DistinguishedName = readonly (readonly [type: string, text: string])[];

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
const EFIRMA_USAGES = ['1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.2'];

type CertificateOrder = {
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
  /** Key of the issuer, when the certificate says by which keys it is chained; e.firmas do not. */
  issuerKey?: KeyObject | undefined;
  /** Names and IP addresses of a server. */
  hosts?: readonly string[] | undefined;
};

const SHA256_WITH_RSA = sequence(oid('1.2.840.113549.1.1.11'), tlv(0x05));
const UTF8_STRING = 0x0c;
const PRINTABLE_STRING = 0x13;
const IA5_STRING = 0x16;
const TAGS: Record<string, number> = { '2.5.4.6': PRINTABLE_STRING, '1.2.840.113549.1.9.1': IA5_STRING };

/** Makes an X.509 v3 certificate signed with RSA and SHA-256 (RFC 5280 4.1). */
function signCertificate(order: CertificateOrder, signer: KeyObject): X509Certificate {
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

function extensions(order: CertificateOrder): Buffer[] {
  const { isAuthority, keyUsage, extendedKeyUsage, issuerKey, hosts } = order;
  const bits = keyUsage.reduce((all, usage) => all | (0x80 >> KEY_USAGE[usage]), 0);
  const unused = Math.clz32(bits & -bits) === 32 ? 0 : 31 - Math.clz32(bits & -bits);
  const some = [
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), isAuthority),
    extension('2.5.29.15', bitString(Buffer.from([bits]), unused), isAuthority),
  ];
  if (extendedKeyUsage) some.push(extension('2.5.29.37', sequence(...extendedKeyUsage.map(oid)), false));
  if (issuerKey) {
    some.push(extension('2.5.29.14', octetString(keyId(order.publicKey)), false));
    some.push(extension('2.5.29.35', sequence(tlv(0x80, keyId(issuerKey))), false));
  }
  if (hosts) some.push(extension('2.5.29.17', sequence(...hosts.map(generalName)), false));
  return some;
}

/** What tells a key from others (RFC 5280 4.2.1.2 leaves open which hash). */
const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

function generalName(host: string): Buffer {
  if (isIP(host) === 0) return tlv(0x82, Buffer.from(host, 'latin1'));
  return tlv(0x87, Buffer.from(isIP(host) === 4 ? host.split('.').map(Number) : ipv6Bytes(host)));
}

function ipv6Bytes(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text = '') => text.split(':').filter((group) => group !== '');
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function extension(type: string, value: Buffer, isCritical: boolean): Buffer {
  return sequence(oid(type), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

/** Writers of the few DER forms that a certificate needs (ITU-T X.690). */
function tlv(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const digits = body.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

function sequence(...content: readonly Uint8Array[]): Buffer {
  return tlv(0x30, ...content);
}

const set = (...content: readonly Uint8Array[]): Buffer => tlv(0x31, ...content);
const octetString = (content: Uint8Array): Buffer => tlv(0x04, content);
const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.from([value ? 0xff : 0]));

/** A positive integer given as big-endian bytes. */
function integer(bytes: Uint8Array): Buffer {
  return (bytes[0] ?? 0) >= 0x80 ? tlv(0x02, Buffer.from([0]), bytes) : tlv(0x02, bytes);
}

/** A bit string; `unused` is the number of meaningless bits at its end. */
function bitString(content: Uint8Array, unused = 0): Buffer {
  return tlv(0x03, Buffer.from([unused]), content);
}

/** An object identifier from its dotted form. */
function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return tlv(0x06, Buffer.from(bytes));
}

/** UTCTime before 2050, GeneralizedTime from then on, as RFC 5280 4.1.2.5 demands. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return date.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : tlv(0x18, Buffer.from(`${digits}Z`));
}
