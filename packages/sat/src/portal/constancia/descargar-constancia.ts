import { type DescargarConstancia, type RespuestaDescargarConstancia, SatError } from '@acuse/core';
import { readConstancia } from '../../constancia/read-constancia.ts';
import type { ConsultaPortal, ContextoPortal } from '../consulta-portal.ts';
import type { PageClient } from '../page-client.ts';
import { encodeFormulario } from '../paginas/cuerpo-formulario.ts';
import { readCampos } from '../paginas/formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { pedir, SIN_SESION } from '../sesion/pedir.ts';
import { isDespedida, SesionVencida } from '../sesion/sesion-vencida.ts';
import { PORTAL_SIAT } from './portal-siat.ts';
import { botonDe, HOST_REGISTRO, openReimpresion, type Reimpresion } from './reimpresion.ts';

const DOCUMENTO = { host: HOST_REGISTRO, path: '/PTSC/IdcSiat/IdcGeneraConstancia.jsf' };
const MAX_PDF_BYTES = 10 * 1024 * 1024;

/** Has the SAT make the constancia de situación fiscal and reads it, with either credential. */
export const consultaDescargarConstancia: ConsultaPortal<'descargar-constancia'> = {
  portal: PORTAL_SIAT,
  credenciales: ['ciec', 'efirma'],
  origen: {
    servidor: 'login.siat, wwwmat y rfcampc.siat.sat.gob.mx',
    fuentes: ['phpcfdi/csf-sat-scraper', 'SAT-CFDI/python-satcfdi'],
  },
  ask: descargarConstancia,
};

/**
 * Presses the button of the page "Reimpresión de Acuses", which has the document made for the session, and fetches it
 * (phpcfdi/csf-sat-scraper, SAT-CFDI/python-satcfdi). Rejects with RESPUESTA_ILEGIBLE for anything but a readable
 * constancia of that RFC.
 */
async function descargarConstancia(
  pageClient: PageClient,
  { rfc }: DescargarConstancia,
  { credencial, readPdf, signal }: ContextoPortal,
): Promise<RespuestaDescargarConstancia> {
  await makeDocumento(pageClient, await openReimpresion(pageClient, credencial.tipo, signal), signal);
  const pdf = await fetchDocumento(pageClient, signal);
  const paginas = await readPdf(pdf, { signal });
  return { constancia: readConstancia(paginas, rfc), pdf };
}

async function makeDocumento(
  pageClient: PageClient,
  { pagina, formulario }: Reimpresion,
  signal: AbortSignal,
): Promise<void> {
  const boton = botonDe(formulario);
  const { direccion } = pagina;
  const respuesta = await pedir(
    pageClient,
    {
      ...pageClient.resolve(formulario.accion, direccion),
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        'faces-request': 'partial/ajax',
        'x-requested-with': 'XMLHttpRequest',
        referer: `https://${direccion.host}${direccion.path}`,
      },
      body: encodeFormulario(
        new Map([
          ...readCampos(formulario.etiquetas),
          ['javax.faces.partial.ajax', 'true'],
          ['javax.faces.source', boton],
          ['javax.faces.partial.execute', '@all'],
          [boton, boton],
        ]),
      ),
    },
    signal,
  );
  if (/<error>|<redirect\b/i.test(respuesta)) throw errorOf(respuesta);
}

/**
 * A partial answer of JavaServer Faces (2.2, section 13.4.4) with an error; one that sends the browser elsewhere has
 * lost its view or session.
 */
function errorOf(body: string): Error {
  const isVencida = /<redirect\b|ViewExpiredException/i.test(body);
  return isVencida ? new SesionVencida() : new SatError('SERVICIO_CON_ERROR', { codigo: 'CONSTANCIA' });
}

async function fetchDocumento(pageClient: PageClient, signal: AbortSignal): Promise<Buffer> {
  const answer = await pageClient.request(
    { ...DOCUMENTO, method: 'GET', expect: 'stream', maxBytes: MAX_PDF_BYTES, acceptStatus: SIN_SESION },
    signal,
  );
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (answer.status >= 300) throw new SesionVencida();
  if (bytes.subarray(0, 1024).includes('%PDF-')) return bytes;
  if (isDespedida(bytes.toString('utf8'))) throw new SesionVencida();
  throw ilegible('una página en lugar de la constancia');
}
