import { randomUUID } from 'node:crypto';
import type { RespuestaConsultarOpinion } from '@acuse/core';
import { lineasDe } from '../../pdf/pagina-pdf.ts';
import type { ConsultaPortal } from '../consulta-portal.ts';
import type { PageClient } from '../page-client.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { pedir } from '../sesion/pedir.ts';
import { readOpinion } from './leer-opinion.ts';
import { authorize, HOST_32D, PORTAL_32D } from './portal-32d.ts';
import { parseRespuestaPdf } from './respuesta-pdf.ts';

const SERVICIO = { host: HOST_32D, path: '/RespuestaCompleta/ObtenerRespuestaCompletaPdf' };
const MAX_PAGINAS = 30;

/**
 * Has the SAT make the opinión del cumplimiento and reads it from the signed PDF. Every call makes a new one.
 * SERVICIO_CON_ERROR when the service says that it made none; RESPUESTA_ILEGIBLE for a document that is not this
 * taxpayer's or does not state one sense.
 */
export const consultarOpinion: ConsultaPortal<'consultar-opinion'> = {
  portal: PORTAL_32D,
  credenciales: ['ciec', 'efirma'],
  origen: {
    servidor: 'loginda.siat.sat.gob.mx, ptsc32d.clouda.sat.gob.mx',
    fuentes: ['phpcfdi/opinion-cumplimiento-sat-scraper', 'SAT-CFDI/python-satcfdi'],
  },
  async ask(pageClient, { rfc }, { readPdf, signal }): Promise<RespuestaConsultarOpinion> {
    const autorizacion = await authorize(pageClient, rfc, signal);
    const json = await pedirPdf(pageClient, rfc.toUpperCase(), autorizacion, signal);
    const { pdf, sentido, folio } = parseRespuestaPdf(json);
    const paginas = await readPdf(pdf, { signal, maxPaginas: MAX_PAGINAS });
    const leida = readOpinion(
      lineasDe(paginas).map(({ texto }) => texto),
      rfc,
    );
    if (sentido !== null && sentido !== leida.sentido) throw ilegible('opinion: el servicio dice otro sentido');
    if (folio !== null && leida.folio !== null && folio !== leida.folio) {
      throw ilegible('opinion: el servicio dice otro folio');
    }
    return { ...leida, pdf };
  },
};

/**
 * The request of the application's page, key by key (phpcfdi/opinion-cumplimiento-sat-scraper, src/PdfDownloader.php).
 */
async function pedirPdf(
  pageClient: PageClient,
  rfc: string,
  autorizacion: Record<string, string>,
  signal: AbortSignal,
): Promise<string> {
  const body = JSON.stringify({
    canal: 'G',
    curp: '',
    idCorrelacion: randomUUID(),
    ip: '127.0.0.1',
    rfc,
    tipoConsulta: 'COMPLETA',
    tipoReporte: '32D',
    usuario: rfc,
    rfcCorto: rfc,
  });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    origin: `https://${HOST_32D}`,
    referer: `https://${HOST_32D}/`,
    ...autorizacion,
  };
  return pedir(pageClient, { ...SERVICIO, method: 'POST', headers, body }, signal);
}
