import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Simulador } from './publico.ts';

/** Where an e.firma was left, and what opens its key. */
export interface EfirmaFiles {
  readonly rfc: string;
  readonly cer: string;
  readonly key: string;
  readonly password: string;
}

const PASSWORD = '12345678a';

/**
 * Writes an e.firma of a taxpayer into an existing folder, as `RFC.cer` and `RFC.key`; keeps a present one that the
 * simulator would accept.
 */
export async function keepEfirma(simulador: Simulador, rfc: string, folder: string): Promise<EfirmaFiles> {
  const files = { rfc, cer: join(folder, `${rfc}.cer`), key: join(folder, `${rfc}.key`), password: PASSWORD };
  const [cer, key] = await Promise.all([files.cer, files.key].map((path) => readFile(path).catch(() => null)));
  if (cer && key && isTaken(cer, simulador.ca, await simulador.ahora())) return files;
  const efirma = await simulador.efirma(rfc, { password: PASSWORD });
  await writeFile(files.cer, efirma.cer);
  await writeFile(files.key, efirma.key, { mode: 0o600 });
  return files;
}

/** Whether a certificate is in force, and of one of these authorities. */
function isTaken(der: Uint8Array, ca: string, now: Date): boolean {
  try {
    const certificate = new X509Certificate(der);
    const authorities = ca.match(/-----BEGIN [\s\S]+?-----END [A-Z ]+-----/g) ?? [];
    return (
      now < new Date(certificate.validTo) &&
      authorities.some((pem) => certificate.verify(new X509Certificate(pem).publicKey))
    );
  } catch {
    return false;
  }
}
