import { createHash } from 'node:crypto';
import type { PaqueteCfdi } from '@acuse/sdk/node';

/** What a reading of a package found, alike in every language. */
export interface Leido {
  readonly cfdi: number;
  readonly bytes: number;
  readonly faltantes: number;
  /** Over each UUID with its path and the SHA-256 of its XML, then each missing one with its reason. */
  readonly sha256: string;
}

/** Reads everything in a package. */
export async function readAll(paquete: Pick<PaqueteCfdi, 'cfdi' | 'faltantes'>): Promise<Leido> {
  let [cfdi, bytes, faltantes] = [0, 0, 0];
  const digest = createHash('sha256');
  for await (const { uuid, ruta, xml } of paquete.cfdi()) {
    cfdi += 1;
    bytes += xml.length;
    digest.update(`${uuid} ${ruta} ${createHash('sha256').update(xml).digest('hex')}\n`);
  }
  for await (const { uuid, motivo } of paquete.faltantes()) {
    faltantes += 1;
    digest.update(`${uuid} ${motivo}\n`);
  }
  return { cfdi, bytes, faltantes, sha256: digest.digest('hex') };
}
