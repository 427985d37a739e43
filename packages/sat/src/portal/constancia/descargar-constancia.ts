import {
  type DescargarConstancia,
  type RespuestaDescargarConstancia,
  SatError,
  type TipoCredencial,
} from '@acuse/core';
import { readConstancia } from '../../constancia/read-constancia.ts';
import type { DireccionSat } from '../../http/direcciones.ts';
import { ilegible } from '../../texto.ts';
import { type PageClient, type Pagina, submitForm } from '../page-client.ts';
import { type Etiqueta, readTexto } from '../paginas/etiquetas.ts';
import { encodeForm, type Formulario, hasVisibleFields, readCampos, readForms } from '../paginas/formulario.ts';
import { isPaginaAcceso } from '../paginas/pagina-acceso.ts';
import type { ConsultaPortal, ContextoPortal, Portal } from '../portal.ts';
import { assertMayLogIn, logIn } from '../sesion/log-in.ts';
import { askFor, isFarewell, SesionVencida, SIN_SESION } from '../sesion/sesion-vencida.ts';
import { HOSTS_ACCESO } from '../settings.ts';

const HOST = 'login.siat.sat.gob.mx';

/** phpcfdi/csf-sat-scraper, `AuthenticationService`; SAT-CFDI/python-satcfdi, `SATPortalConstancia`. */
const ENTRANCE = '/nidp/app?sid=1';
const PAGINA_CIEC = '/nidp/app/login?id=ptsc-ciec&sid=1&option=credential';
const PAGINA_EFIRMA = '/nidp/idff/sso?id=fiel_Aviso';

/**
 * The register of taxpayers, behind the identity provider of the taxpayer mailbox. No page of the log-in names the RFC
 * for certain: the document that is fetched with the session does.
 */
const PORTAL_SIAT: Portal = {
  nombre: 'siat',
  async enter(login) {
    assertMayLogIn(login);
    const openPage = login.credencial.tipo === 'ciec' ? openCiecPage : openEfirmaPage;
    await logIn(login, await openPage(login.pageClient), HOST);
  },
  salida: { host: HOST, path: '/nidp/app/plogout' },
};

async function openCiecPage(pageClient: PageClient): Promise<Pagina> {
  await pageClient.open({ host: HOST, path: ENTRANCE });
  return pageClient.submit({ host: HOST, path: PAGINA_CIEC }, Buffer.alloc(0));
}

/** The provider may put a form in between, which a script of the page sends. */
async function openEfirmaPage(pageClient: PageClient): Promise<Pagina> {
  const pagina = await pageClient.open({ host: HOST, path: PAGINA_EFIRMA });
  if (isPaginaAcceso(pagina.etiquetas)) return pagina;
  const formulario = readForms(pagina.etiquetas)[0];
  return formulario === undefined ? pagina : sendForm(pageClient, pagina, formulario);
}

const HOST_REGISTRO = 'rfcampc.siat.sat.gob.mx';
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
  { credencial, readPdf }: ContextoPortal,
): Promise<RespuestaDescargarConstancia> {
  await makeDocumento(pageClient, await openReprint(pageClient, credencial.tipo));
  const pdf = await fetchDocumento(pageClient);
  const paginas = await readPdf(pdf, { signal: pageClient.signal });
  return { constancia: readConstancia(paginas, rfc), pdf };
}

async function makeDocumento(pageClient: PageClient, { pagina, formulario }: Reprint): Promise<void> {
  const boton = botonDe(formulario);
  const { direccion } = pagina;
  const respuesta = await askFor(pageClient, {
    ...pageClient.resolve(formulario.accion, direccion),
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      'faces-request': 'partial/ajax',
      'x-requested-with': 'XMLHttpRequest',
    },
    body: encodeForm(
      new Map([
        ...readCampos(formulario.etiquetas),
        ['javax.faces.partial.ajax', 'true'],
        ['javax.faces.source', boton],
        ['javax.faces.partial.execute', '@all'],
        [boton, boton],
      ]),
    ),
  });
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

async function fetchDocumento(pageClient: PageClient): Promise<Buffer> {
  const answer = await pageClient.request({
    ...DOCUMENTO,
    method: 'GET',
    expect: 'stream',
    maxBytes: MAX_PDF_BYTES,
    acceptStatus: SIN_SESION,
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (answer.status >= 300) throw new SesionVencida();
  if (bytes.subarray(0, 1024).includes('%PDF-')) return bytes;
  if (isFarewell(bytes.toString('utf8'))) throw new SesionVencida();
  throw ilegible('una página en lugar de la constancia');
}

/**
 * The way in for each credential: phpcfdi/csf-sat-scraper, `URL::$thrower`; SAT-CFDI/python-satcfdi,
 * `SATPortalConstancia`.
 */
const ENTRADAS: Readonly<Record<TipoCredencial, DireccionSat>> = {
  ciec: {
    host: 'wwwmat.sat.gob.mx',
    path:
      '/app/seg/faces/pages/lanzador.jsf?url=/operacion/53027/genera-tu-constancia-de-situacion-fiscal' +
      '&tipoLogeo=c&target=principal&hostServer=https://wwwmat.sat.gob.mx',
  },
  efirma: {
    host: HOST_REGISTRO,
    path:
      '/app/seg/SessionBroker?url=/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf' +
      '&parametro=c&idSessionBit=&idSessionBit=null',
  },
};

const MAX_PASOS = 8;

interface Reprint {
  readonly pagina: Pagina;
  readonly formulario: Formulario;
}

/**
 * Goes from the entry to the page "Reimpresión de Acuses" with its form `formReimpAcuse`: messages between provider and
 * services are passed on, and the frame `iframetoload` is entered. Throws SesionVencida when the provider asks to log
 * in, RESPUESTA_ILEGIBLE on any other page.
 */
async function openReprint(pageClient: PageClient, tipo: TipoCredencial): Promise<Reprint> {
  let pagina = await pageClient.open(ENTRADAS[tipo]);
  for (let paso = 0; paso < MAX_PASOS; paso += 1) {
    if (isPaginaAcceso(pagina.etiquetas)) throw new SesionVencida();
    const formulario = readForms(pagina.etiquetas).find(({ id }) => id === 'formReimpAcuse');
    if (formulario !== undefined && pagina.direccion.host === HOST_REGISTRO) return { pagina, formulario };
    pagina = await goOn(pageClient, pagina);
  }
  throw ilegible('demasiados pasos hacia la constancia');
}

async function goOn(pageClient: PageClient, pagina: Pagina): Promise<Pagina> {
  const saml = findSamlForm(pagina);
  if (saml !== undefined) return sendForm(pageClient, pagina, saml);
  const marco = pagina.etiquetas.find((e) => e.nombre === 'iframe' && e.attrs.get('id') === 'iframetoload');
  const src = marco === undefined ? undefined : marco.attrs.get('src')?.trim();
  if (src !== undefined && src !== '') return pageClient.open(pageClient.resolve(src, pagina.direccion));
  if (HOSTS_ACCESO.includes(pagina.direccion.host)) throw new SesionVencida();
  throw ilegible('ni la página de la constancia ni el camino a ella');
}

/** Both public clients name this button, whose number JavaServer Faces gives by position. */
const BOTON_CONOCIDO = 'formReimpAcuse:j_idt50';

/** The id of the button that makes the constancia: the one that says so, else the one that is known. */
function botonDe({ etiquetas }: Formulario): string {
  for (const [i, etiqueta] of etiquetas.entries()) {
    if (!['button', 'input', 'a'].includes(etiqueta.nombre) || etiqueta.closes) continue;
    const id = etiqueta.attrs.get('id') ?? etiqueta.attrs.get('name') ?? '';
    const heading = `${etiqueta.attrs.get('value') ?? ''} ${textUntilClosing(etiquetas, i)}`;
    if (id !== '' && /generar\s+constancia/i.test(heading)) return id;
  }
  return BOTON_CONOCIDO;
}

function textUntilClosing(etiquetas: readonly Etiqueta[], from: number): string {
  const nombre = etiquetas[from]?.nombre;
  if (nombre === 'input') return '';
  const length = etiquetas.slice(from + 1, from + 8).findIndex((e) => e.nombre === nombre);
  return readTexto(etiquetas.slice(from, length === -1 ? from + 1 : from + 1 + length));
}

/**
 * The form that carries a message between the provider and a service (SAML 2.0 bindings, 3.5: HTTP POST), whatever
 * sends it in a browser.
 */
function findSamlForm(pagina: Pagina): Formulario | undefined {
  return readForms(pagina.etiquetas).find((formulario) => {
    const campos = readCampos(formulario.etiquetas);
    const hasSaml = campos.has('SAMLRequest') || campos.has('SAMLResponse');
    return hasSaml && !hasVisibleFields(formulario.etiquetas);
  });
}

/** Sends a form that has nothing to fill in, as its script would. Throws RESPUESTA_ILEGIBLE for a form that has. */
async function sendForm(pageClient: PageClient, pagina: Pagina, formulario: Formulario): Promise<Pagina> {
  if (hasVisibleFields(formulario.etiquetas)) throw ilegible('otro formulario');
  return submitForm(pageClient, pagina, formulario);
}
