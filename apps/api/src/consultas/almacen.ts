import { CfdiError } from '@acuse/contract';

const REINTENTAR_SEGUNDOS = 60;

/**
 * Runs what needs object storage: whatever keeps that from answering is 503/5041, given back by the pipeline, with the
 * reason as its cause.
 */
export async function conAlmacen<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new CfdiError('ALMACEN_NO_DISPONIBLE', { reintentar_en: REINTENTAR_SEGUNDOS }, { cause });
  }
}
