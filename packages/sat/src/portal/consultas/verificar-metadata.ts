import type { RespuestaVerificarMetadata, VerificarMetadata } from '@acuse/core';
import type { PageClient } from '../page-client.ts';
import { listPaquetes, openDescargas } from './descargas.ts';

/**
 * Looks for the folio among the packages that the portal offers.
 *
 * A folio that is not offered is EN_PROCESO, always. The page shows nothing of a request that is being prepared (up to
 * 48 hours), and nothing any more three days after it was ready, and nothing of a folio it never gave: one and the same
 * absence. A folio is a random UUID without a date in it and the question does not say when it was asked for, so only
 * the caller, who knows, can decide that it has waited too long. For the same reason VACIA, ERROR and the like never
 * come from here.
 */
export async function verificarMetadata(
  pageClient: PageClient,
  consulta: VerificarMetadata,
  signal: AbortSignal,
): Promise<RespuestaVerificarMetadata> {
  const lista = await openDescargas(pageClient, consulta.rfc, signal);
  const paquetes = listPaquetes(lista, consulta.folio);
  if (paquetes.size === 0) return { resultado: 'EN_PROCESO' };
  let registros: number | null = 0;
  for (const paquete of paquetes.values()) {
    registros = registros === null || paquete.registros === null ? null : registros + paquete.registros;
  }
  return { resultado: 'TERMINADA', paquetes: [...paquetes.keys()], registros };
}
