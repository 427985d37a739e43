import type { DireccionSat } from '../../http/direcciones.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { assertRfcAutenticado } from '../paginas/pagina-portal.ts';
import { assertSesionViva } from '../sesion/sesion-vencida.ts';

/**
 * Opens one page of the portal in the name of `rfc`. When only the portal's own session ended, the identity provider
 * renews it on the way and leaves the browser on the start page: the page is then opened again. Throws SesionVencida
 * when a log-in is due and RESPUESTA_ILEGIBLE when another page stays or names another RFC.
 */
export async function openPagina(
  pageClient: PageClient,
  direccion: DireccionSat,
  rfc: string,
  signal: AbortSignal,
): Promise<Pagina> {
  for (let intento = 1; intento <= 2; intento += 1) {
    const pagina = await pageClient.open(direccion, signal);
    assertSesionViva(pagina);
    if (!isSame(pagina.direccion, direccion)) continue;
    assertRfcAutenticado(pagina.etiquetas, rfc, false);
    return pagina;
  }
  throw ilegible('el portal muestra otra página');
}

function isSame(a: DireccionSat, b: DireccionSat): boolean {
  const [ours, asked] = [a, b].map(({ host, path }) => `${host}${path.split('?')[0]}`.toLowerCase());
  return ours === asked;
}
