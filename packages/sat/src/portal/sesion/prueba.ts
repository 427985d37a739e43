import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Credencial, contextoDePrueba, type PruebaCredencial, type Sellado } from '@acuse/core';

const derive = promisify(scrypt) as (secreto: Buffer, sal: Buffer, largo: number) => Promise<Buffer>;

const LARGO = 32;

/** Of what proves that a session was opened with this credential. */
async function hash(credencial: Credencial, sal: string): Promise<Buffer> {
  const secreto = Buffer.concat(credencial.tipo === 'ciec' ? [credencial.ciec] : [credencial.cer, credencial.key]);
  try {
    return await derive(secreto, Buffer.from(sal, 'base64'), LARGO);
  } finally {
    secreto.fill(0);
  }
}

/**
 * Proofs of credentials: slow hashes, since a CIEC is short, and sealed, so that the database alone does not serve to
 * guess one.
 */
export function createPruebas(sellado: Sellado) {
  return {
    /** `sal`: the salt to use, in base64, so that several proofs of one taxpayer cost one hash; a new one without it. */
    async prove(credencial: Credencial, sal = randomBytes(16).toString('base64')): Promise<PruebaCredencial> {
      const sealed = sellado.seal(await hash(credencial, sal), contextoDePrueba(credencial, sal));
      return { sal, huella: sealed.toString('base64') };
    },

    /** The first of several proofs that are of this credential. One that does not open proves nothing. */
    async find<P extends PruebaCredencial>(pruebas: readonly P[], credencial: Credencial): Promise<P | null> {
      const hashed = new Map<string, Buffer>();
      for (const prueba of pruebas) {
        const { sal, huella } = prueba;
        const expected = sellado.open(Buffer.from(huella, 'base64'), contextoDePrueba(credencial, sal));
        if (expected?.length !== LARGO) continue;
        const actual = hashed.get(sal) ?? (await hash(credencial, sal));
        hashed.set(sal, actual);
        if (timingSafeEqual(expected, actual)) return prueba;
      }
      return null;
    },
  };
}
