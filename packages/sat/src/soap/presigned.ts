import { createHash, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { type CredencialEfirma, type Presigned, SatError, SinFirma } from '@acuse/core';
import { readCert, readPair, type Signer, type SignerData } from './efirma.ts';
import { sobreAutentica, sobreDescarga, sobreVerifica, VIGENCIA_MS } from './sobres.ts';

/**
 * Between two authentications that are signed beforehand. Each is good for five minutes, so that at any moment one is
 * there that is good for one more at least: for the way to the SAT, and for clocks that differ.
 */
const PASO_MS = VIGENCIA_MS - 60_000;

/** Difference allowed between the clock that uses the signatures and the database's clock, by which they were made. */
const RELOJES_MS = 2 * PASO_MS;

/** Packages of one request that are signed for. One request brings a million rows at the most. */
const PAQUETES = 20;

/** Signatures made at once on the threads of Node, so that other work is not delayed. */
const A_LA_VEZ = 16;

/** Requests and time that signatures are made for. */
export interface ParaFirmar {
  /** Ids of the requests at the SAT. */
  readonly folios: readonly string[];
  readonly desde: Date;
  readonly hasta: Date;
}

/**
 * Signs all messages about `folios` from `desde` to `hasta` beforehand: an authentication for every four minutes, the
 * verification of each request (equal bytes each time), and its packages. Keeps the signatures only: the messages
 * around them are written again, and their text finds the signature. Reuses signatures of `previa`. About 0.3 MB for 72
 * hours. Rejects with CANCELADA when `signal` is aborted.
 */
export async function presign(
  credencial: CredencialEfirma,
  para: ParaFirmar,
  previa: Presigned | null,
  signal: AbortSignal,
): Promise<Presigned> {
  const { rfc, cer } = credencial;
  const known = previa?.cer.equals(cer) ? previa.firmas : new Map<string, Buffer>();
  const { datos, key } = readPair(credencial);
  const textos = textosDe(datos, rfc, para);
  const firmas = new Map<string, Buffer>();
  for (let next = 0; next < textos.length; next += A_LA_VEZ) {
    if (signal.aborted) throw new SatError('CANCELADA');
    const made = textos.slice(next, next + A_LA_VEZ).map(async (texto): Promise<[string, Buffer]> => {
      const huella = huellaDe(texto);
      const held = known.get(huella);
      return [huella, held ? Buffer.from(held) : await signAsync('RSA-SHA1', Buffer.from(texto, 'utf8'), key)];
    });
    for (const [huella, firma] of await Promise.all(made)) firmas.set(huella, firma);
  }
  return { tipo: 'presigned', rfc, cer: Buffer.from(cer), firmas };
}

const signAsync = promisify(sign);

/** 128 bits distinguish any two messages: no attacker chooses the signed text. */
const huellaDe = (texto: string) => createHash('sha256').update(texto, 'utf8').digest('hex').slice(0, 32);

/** What has to be signed, found by writing every message once without a key. */
function textosDe(datos: SignerData, rfc: string, { folios, desde, hasta }: ParaFirmar): string[] {
  const textos: string[] = [];
  const signer: Signer = {
    ...datos,
    momento: momentoDe,
    sign(texto) {
      textos.push(texto);
      return '';
    },
  };
  const last = hasta.getTime() + RELOJES_MS;
  for (let at = momentoDe(desde.getTime() - RELOJES_MS); at <= last; at += PASO_MS)
    sobreAutentica(signer, new Date(at));
  for (const folio of folios) {
    sobreVerifica(signer, rfc, folio);
    for (const paquete of paquetesDe(folio)) sobreDescarga(signer, rfc, paquete);
  }
  return textos;
}

/** The authentication that is there at a moment is dated at the last of a row of moments that is the same for all. */
const momentoDe = (now: number) => Math.floor(now / PASO_MS) * PASO_MS;

/**
 * The ids that packages of a request are known to have: its own, `_` and two digits from 01 on, in capitals whatever the
 * case of the request (phpcfdi/sat-ws-descarga-masiva#78) or as it is (the SAT's manual).
 */
function paquetesDe(folio: string): string[] {
  const names = new Set([folio, folio.toUpperCase(), folio.toLowerCase()]);
  return [...names].flatMap((name) =>
    Array.from({ length: PAQUETES }, (_, i) => `${name}_${String(i + 1).padStart(2, '0')}`),
  );
}

/** Signs with the signatures made beforehand. `sign` throws {@link SinFirma} for other texts. */
export function openPresigned({ cer, firmas }: Presigned): Signer {
  const { datos } = readCert(cer);
  return {
    ...datos,
    // A separate name: a holder of the key must not wait for an authentication that may be missing here.
    huella: `${datos.huella} presigned`,
    momento: momentoDe,
    sign(texto) {
      const firma = firmas.get(huellaDe(texto));
      if (firma === undefined) throw new SinFirma();
      return firma.toString('base64');
    },
  };
}
