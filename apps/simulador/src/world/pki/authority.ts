import { createPrivateKey, generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DistinguishedName, signCertificate } from './certificate.ts';

const generateRsa = promisify(generateKeyPair);

/** Root and issuing authority of the simulator, plainly named as a test authority. */
export type Authority = { root: X509Certificate; issuing: X509Certificate; issuingKey: KeyObject };

/** Subject of the authority that issues e.firmas and CSDs. */
export const ISSUING_NAME: DistinguishedName = [
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

/**
 * Reads the authority kept in `dataDir`, or makes one and keeps it there: `autoridad.pem` with its key, `ca.pem` for
 * whoever trusts it.
 */
export async function openAuthority(dataDir: string | undefined): Promise<Authority> {
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
export async function generateKeys(): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> {
  return generateRsa('rsa', { modulusLength: 2048 });
}

async function makeAuthority(): Promise<Authority> {
  const [rootKeys, issuingKeys] = await Promise.all([generateKeys(), generateKeys()]);
  const common = {
    issuer: ROOT_NAME,
    notBefore: new Date('2015-01-01T00:00:00Z'),
    notAfter: new Date('2075-01-01T00:00:00Z'),
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
  return {
    root: new X509Certificate(root),
    issuing: new X509Certificate(issuing),
    issuingKey: createPrivateKey(key),
  };
}
