import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Pki } from '../pki.ts';
import { type WallTime, yearOf } from '../wall-time.ts';
import type { Csd } from './comprobante.ts';

/** The seal certificates of all issuers. */
export type Csds = Awaited<ReturnType<typeof createCsds>>;

const BITS = 1024;
const YEARS = 4;
const MAX_CERTIFICATES = 5000;
const generate = promisify(generateKeyPair);

/**
 * Creates the seal certificates. All share one key of 1024 bits, kept in `dataDir`: a pair for each issuer would take a
 * sixth of a second, and the SAT's 2048 bits make a seal three times as slow. The same RFC, name and four years always
 * have the same certificate.
 */
export async function createCsds({ pki, dataDir }: { pki: Pick<Pki, 'certify'>; dataDir?: string | undefined }) {
  const privateKey = await openKey(dataDir);
  const publicKey = createPublicKey(privateKey);
  const made = new Map<string, Csd>();

  const create = (rfc: string, nombre: string, year: number, key: string): Csd => {
    const digits = createHash('sha256').update(key).digest().readUIntBE(0, 6) % 10 ** 10;
    const numero = `3000100000${String(digits).padStart(10, '0')}`;
    const order = { rfc, nombre, csd: true, desde: firstDayOf(year), vence: firstDayOf(year + YEARS) };
    return { numero, certificado: pki.certify(order, numero, publicKey).toString('base64') };
  };

  return {
    /** The certificate with which an issuer of this name sealed at a time. */
    of: (rfc: string, nombre: string, time: WallTime): Csd => {
      const year = Math.floor(yearOf(time) / YEARS) * YEARS;
      const key = `${rfc}\u0000${nombre}\u0000${year}`;
      let csd = made.get(key);
      if (csd === undefined) {
        csd = create(rfc, nombre, year, key);
        if (made.size >= MAX_CERTIFICATES) made.clear();
        made.set(key, csd);
      }
      return csd;
    },
    /** A certificate that was made for a CFDI since the start, by its 20 digits; or null. */
    find: (numero: string): Csd | null => [...made.values()].find((csd) => csd.numero === numero) ?? null,
    /** RSA-SHA256 of a cadena original, base64. */
    seal: (cadena: string): string => sign('sha256', Buffer.from(cadena, 'utf8'), privateKey).toString('base64'),
  };
}

function firstDayOf(year: number): Date {
  return new Date(Date.UTC(year, 0, 1));
}

async function openKey(dataDir: string | undefined): Promise<KeyObject> {
  const path = dataDir === undefined ? undefined : join(dataDir, 'sellos.pem');
  const kept = path && (await readFile(path).catch(() => null));
  if (kept) return createPrivateKey(kept);
  const { privateKey } = await generate('rsa', { modulusLength: BITS });
  if (path) await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return privateKey;
}
