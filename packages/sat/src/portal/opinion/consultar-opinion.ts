import { randomUUID } from 'node:crypto';
import { type RespuestaConsultarOpinion, SatError } from '@acuse/core';
import { lineasDe } from '../../pdf/pagina-pdf.ts';
import { ilegible, parseObjeto, toObjeto } from '../../texto.ts';
import type { PageClient } from '../page-client.ts';
import type { ConsultaPortal } from '../portal.ts';
import { askFor } from '../sesion/sesion-vencida.ts';
import { authorize, HOST_32D, PORTAL_32D } from './portal-32d.ts';
import { readOpinion, readOpinionSense } from './read-opinion.ts';

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
  async ask(pageClient, { rfc }, { readPdf }): Promise<RespuestaConsultarOpinion> {
    const autorizacion = await authorize(pageClient, rfc);
    const json = await askForPdf(pageClient, rfc.toUpperCase(), autorizacion);
    const { pdf, sentido, folio } = parseRespuestaPdf(json);
    const paginas = await readPdf(pdf, { signal: pageClient.signal, maxPaginas: MAX_PAGINAS });
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
async function askForPdf(pageClient: PageClient, rfc: string, autorizacion: Record<string, string>): Promise<string> {
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
  return askFor(pageClient, { ...SERVICIO, method: 'POST', headers, body });
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads the answer of `ObtenerRespuestaCompletaPdf`: `Respuesta.Exito`, `Respuesta.Mensaje`, `ContenidoBase64`
 * (phpcfdi/opinion-cumplimiento-sat-scraper, src/PdfDownloader.php) and, when it has them, `Validaciones.Descripcion`
 * and `.Folio`. Throws SERVICIO_CON_ERROR when the service says that it failed, RESPUESTA_ILEGIBLE for anything that is
 * not such an answer with a whole PDF.
 */
function parseRespuestaPdf(json: string) {
  const datos = parseObjeto(json);
  const respuesta = toObjeto(datos?.['Respuesta']);
  if (datos === null || respuesta === null || typeof respuesta['Exito'] !== 'boolean') {
    throw ilegible('opinion: respuesta sin Exito');
  }
  if (!respuesta['Exito']) throw new SatError('SERVICIO_CON_ERROR', { codigo: 'Exito=false' });
  const validaciones = toObjeto(datos['Validaciones']);
  const descripcion = validaciones?.['Descripcion'];
  const folio = validaciones?.['Folio'];
  return {
    pdf: decodePdf(datos['ContenidoBase64']),
    // What the service says beside the document is never a fact alone: the document is.
    sentido: typeof descripcion === 'string' ? readOpinionSense(descripcion) : null,
    folio: typeof folio === 'string' && folio.trim() !== '' ? folio.trim().toUpperCase() : null,
  };
}

/** Decodes base64 strictly: `Buffer.from` skips invalid characters, and a document with a hole is no document. */
function decodePdf(contenido: unknown): Buffer {
  const base64 = typeof contenido === 'string' ? contenido.replace(/\s+/g, '') : '';
  if (base64.length % 4 !== 0 || !BASE64.test(base64)) throw ilegible('opinion: sin documento');
  const pdf = Buffer.from(base64, 'base64');
  if (pdf.subarray(0, 5).toString('latin1') !== '%PDF-') throw ilegible('opinion: el documento no es un PDF');
  return pdf;
}
