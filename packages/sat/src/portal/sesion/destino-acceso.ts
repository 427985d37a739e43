import { SatError } from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import type { PageClient, Pagina } from '../page-client.ts';

/**
 * The address of a form of a log-in page. Throws HOST_NO_PERMITIDO when it is not on the log-in host: credentials go
 * nowhere else.
 */
export function destinoDeAcceso(
  pageClient: PageClient,
  { direccion }: Pagina,
  accion: string,
  hostAcceso: string,
): DireccionSat {
  const destino = pageClient.resolve(accion, direccion);
  if (destino.host !== hostAcceso) {
    throw new SatError('HOST_NO_PERMITIDO', { detalle: 'la credencial solo va a la página de acceso' });
  }
  return destino;
}
