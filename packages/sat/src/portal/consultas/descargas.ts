import type { PageClient } from '../page-client.ts';
import { type DescargaListada, type ListaDescargas, readListaDescargas } from '../paginas/lista-descargas.ts';
import { HOST_PORTAL } from '../settings.ts';
import { openPagina } from './pagina-del-portal.ts';

export const DIRECCION_DESCARGAS = { host: HOST_PORTAL, path: '/ConsultaDescargaMasiva.aspx' };

/** The packages that the portal offers now to this RFC. */
export async function openDescargas(pageClient: PageClient, rfc: string, signal: AbortSignal): Promise<ListaDescargas> {
  const pagina = await openPagina(pageClient, DIRECCION_DESCARGAS, rfc, signal);
  return readListaDescargas(pagina.texto);
}

/**
 * The ids of the packages of a folio with what the page says of each. One package is named like its folio; several get
 * a number in the order of the page, so that a page which later shows another count is noticed instead of losing rows.
 */
export function listPaquetes(lista: ListaDescargas, folio: string): Map<string, DescargaListada> {
  const propias = lista.descargas.filter((d) => d.folio === folio.toUpperCase());
  const [unica] = propias;
  if (unica === undefined || propias.length > 1) {
    return new Map(propias.map((d, i) => [`${d.folio}_${String(i + 1).padStart(2, '0')}`, d]));
  }
  return new Map([[unica.folio, unica]]);
}
