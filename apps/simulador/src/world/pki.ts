import { randomInt, X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKeys, ISSUING_NAME, openAuthority } from './pki/authority.ts';
import { type DistinguishedName, EFIRMA_USAGES, signCertificate } from './pki/certificate.ts';

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

/** What the simulator reads from a certificate that somebody presents. */
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

export type Pki = {
  /** Root and issuing certificates, PEM. */
  caPem: string;
  issue(order: EfirmaOrder): Promise<Efirma>;
  /** Reads a DER certificate; throws when it is none. Dates are for the caller to compare with its clock. */
  inspect(der: Uint8Array): Certificado;
  /** An issued certificate by its 20-digit number, or null. */
  find(numero: string): Promise<Certificado | null>;
  revoke(numero: string): void;
};

/** Opens the authority of `dataDir`, or one that lives in memory. */
export async function createPki({ dataDir }: { dataDir?: string | undefined } = {}): Promise<Pki> {
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

  return {
    caPem: `${authority.root}${authority.issuing}`,
    inspect,
    issue: async (order) => {
      const numero = `3000100000${String(randomInt(10 ** 10)).padStart(10, '0')}`;
      const keys = await generateKeys();
      const certificate = signCertificate(
        {
          subject: subjectOf(order),
          issuer: ISSUING_NAME,
          serial: Buffer.from(numero, 'latin1'),
          notBefore: order.desde,
          notAfter: order.vence,
          publicKey: keys.publicKey,
          isAuthority: false,
          keyUsage: order.csd
            ? ['digitalSignature', 'nonRepudiation']
            : ['digitalSignature', 'nonRepudiation', 'dataEncipherment', 'keyAgreement'],
          extendedKeyUsage: order.csd ? undefined : EFIRMA_USAGES,
        },
        authority.issuingKey,
      );
      issued.set(numero, certificate.raw);
      if (folder !== undefined) await writeFile(join(folder, `${numero}.cer`), certificate.raw);
      const key = keys.privateKey.export({
        type: 'pkcs8',
        format: 'der',
        cipher: 'des-ede3-cbc',
        passphrase: order.password,
      });
      return { numero, cer: certificate.raw, key, password: order.password };
    },
    find: async (numero) => {
      if (!/^\d{20}$/.test(numero)) return null;
      const der = issued.get(numero) ?? (folder && (await readFile(join(folder, `${numero}.cer`)).catch(() => null)));
      return der ? inspect(der) : null;
    },
    revoke: (numero) => {
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
function subjectOf({ rfc, nombre, csd, curp: known }: EfirmaOrder): DistinguishedName {
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
