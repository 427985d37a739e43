import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Credencial, PruebaCredencial } from '@acuse/core';

const derive = promisify(scrypt) as (secreto: Buffer, sal: Buffer, largo: number) => Promise<Buffer>;

const LARGO = 32;

/** What proves that a session was opened with this credential. */
const secretoDe = (credencial: Credencial) =>
  credencial.tipo === 'ciec' ? credencial.ciec : Buffer.concat([credencial.cer, credencial.key]);

/**
 * A slow hash of a credential, since a CIEC is short: what is stored must not serve to guess it. `sal`: the salt to use, in base64, so that
 * proofs of one taxpayer can be compared; a new one without it.
 */
export async function prove(credencial: Credencial, sal?: string): Promise<PruebaCredencial> {
  const bytes = sal === undefined ? randomBytes(16) : Buffer.from(sal, 'base64');
  const huella = await derive(secretoDe(credencial), bytes, LARGO);
  return { sal: bytes.toString('base64'), huella: huella.toString('base64') };
}

/** The first of several proofs that are of this credential. Each salt is hashed once. */
export async function findPrueba<P extends PruebaCredencial>(
  pruebas: readonly P[],
  credencial: Credencial,
): Promise<P | null> {
  const hashed = new Map<string, Buffer>();
  for (const prueba of pruebas) {
    const actual =
      hashed.get(prueba.sal) ??
      (await derive(secretoDe(credencial), Buffer.from(prueba.sal, 'base64'), LARGO));
    hashed.set(prueba.sal, actual);
    const expected = Buffer.from(prueba.huella, 'base64');
    if (expected.length === actual.length && timingSafeEqual(expected, actual)) return prueba;
  }
  return null;
}
