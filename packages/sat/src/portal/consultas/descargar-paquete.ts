import type { Readable } from 'node:stream';
import type { DescargarPaquete, RespuestaDescargarPaquete } from '@acuse/core';
import type { PageClient } from '../page-client.ts';
import { encodeFormulario } from '../paginas/cuerpo-formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { CAMPO_FOLIO, CAMPO_URL } from '../paginas/lista-descargas.ts';
import { SIN_SESION } from '../sesion/pedir.ts';
import { isDespedida, SesionVencida } from '../sesion/sesion-vencida.ts';
import { DIRECCION_DESCARGAS, listPaquetes, openDescargas } from './descargas.ts';
import { openZip } from './zip-del-portal.ts';

/**
 * Fetches one package: a full postback of the list with the two hidden values of the package; the answer is the ZIP
 * itself (phpcfdi/cfdi-sat-scraper, pull request 97). The package was offered when its id was made, so AGOTADO when the
 * list does not offer it any more (three days) or the portal says so; RESPUESTA_ILEGIBLE for any other page in place of
 * the ZIP.
 */
export async function descargarPaquete(
  pageClient: PageClient,
  consulta: DescargarPaquete,
  maxBytes: number,
  signal: AbortSignal,
): Promise<RespuestaDescargarPaquete> {
  const lista = await openDescargas(pageClient, consulta.rfc, signal);
  const paquetes = listPaquetes(lista, consulta.folio);
  if (paquetes.size === 0) return agotado('NO_LISTADO', 'El portal del SAT ya no ofrece el paquete');
  const paquete = paquetes.get(consulta.paquete.toUpperCase());
  if (paquete === undefined) throw ilegible('los paquetes del folio cambiaron');

  const body = encodeFormulario(
    new Map([
      ...lista.campos,
      ['__EVENTTARGET', 'ctl00$MainContent$setLinkButtonDescarga'],
      ['__EVENTARGUMENT', ''],
      [CAMPO_FOLIO, paquete.folio],
      [CAMPO_URL, paquete.url],
    ]),
  );
  const answer = await pageClient.request(
    {
      ...DIRECCION_DESCARGAS,
      method: 'POST',
      expect: 'stream',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        referer: `https://${DIRECCION_DESCARGAS.host}${DIRECCION_DESCARGAS.path}`,
      },
      body,
      maxBytes,
      acceptStatus: SIN_SESION,
    },
    signal,
  );
  if (answer.status >= 300) {
    answer.body.destroy();
    throw new SesionVencida();
  }
  return readPaquete(answer.body);
}

async function readPaquete(body: Readable): Promise<RespuestaDescargarPaquete> {
  const { zip, pagina } = await openZip(body);
  if (zip !== null) return { resultado: 'PAQUETE', zip };
  if (isDespedida(pagina)) throw new SesionVencida();
  if (/ya no (?:se encuentra|est[aá]) disponible|caduc|expir|vencid/i.test(pagina)) {
    return agotado('VENCIDO', 'El portal del SAT dice que el paquete ya no está disponible');
  }
  throw ilegible('una página en lugar del ZIP');
}

function agotado(codigo: string, mensaje: string): RespuestaDescargarPaquete {
  return { resultado: 'AGOTADO', codigo, mensaje };
}
