import type { RespuestaSolicitarMetadata, SolicitarMetadata } from '@acuse/core';
import type { PageClient } from '../page-client.ts';
import { parseRespuestaFolio } from '../paginas/respuesta-folio.ts';
import { readResultadoBusqueda } from '../paginas/resultado-busqueda.ts';
import { pedir } from '../sesion/pedir.ts';
import { direccionDe, search } from './busqueda.ts';

/**
 * Searches the period and asks for the metadata of what was found: the criteria that the portal encoded go to the page
 * method `DescargaMetadatos` in base64, percent-escaped, inside the single-quoted object that the portal's own script
 * writes (phpcfdi/cfdi-sat-scraper, pull request 97). The portal answers with a folio.
 */
export async function solicitarMetadata(
  pageClient: PageClient,
  consulta: SolicitarMetadata,
  signal: AbortSignal,
): Promise<RespuestaSolicitarMetadata> {
  const { tipo, rfc, periodo } = consulta;
  const resultado = readResultadoBusqueda(await search(pageClient, { tipo, rfc, periodo }, signal));
  if (resultado.vacia) return { resultado: 'VACIA' };

  const { host, path } = direccionDe(tipo);
  const parametros = encodeURIComponent(Buffer.from(resultado.parametros).toString('base64'));
  const json = await pedir(
    pageClient,
    {
      host,
      path: `${path}/DescargaMetadatos`,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json, text/javascript, */*; q=0.01',
        'x-requested-with': 'XMLHttpRequest',
        referer: `https://${host}${path}`,
      },
      body: `{'Parametros':'${parametros}'}`,
    },
    signal,
  );
  const respuesta = parseRespuestaFolio(json);
  return 'folio' in respuesta ? { resultado: 'ACEPTADA', folio: respuesta.folio } : { resultado: 'DEMASIADOS' };
}
