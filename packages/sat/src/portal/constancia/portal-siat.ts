import type { PageClient, Pagina } from '../page-client.ts';
import { isPaginaAcceso } from '../paginas/acceso/pagina-acceso.ts';
import { readFormularios } from '../paginas/formulario.ts';
import { acceder, assertPuedeAcceder } from '../sesion/acceder.ts';
import type { Portal } from '../sesion/portal.ts';
import { sendFormulario } from './saml.ts';

const HOST = 'login.siat.sat.gob.mx';

/** phpcfdi/csf-sat-scraper, `AuthenticationService`; SAT-CFDI/python-satcfdi, `SATPortalConstancia`. */
const VESTIBULO = '/nidp/app?sid=1';
const PAGINA_CIEC = '/nidp/app/login?id=ptsc-ciec&sid=1&option=credential';
const PAGINA_EFIRMA = '/nidp/idff/sso?id=fiel_Aviso';

/**
 * The register of taxpayers, behind the identity provider of the taxpayer mailbox. No page of the log-in names the RFC
 * for certain: the document that is fetched with the session does.
 */
export const PORTAL_SIAT: Portal = {
  nombre: 'siat',
  async enter(deps, pageClient, credencial, signal) {
    assertPuedeAcceder(deps, credencial);
    const openPagina = credencial.tipo === 'ciec' ? openPaginaCiec : openPaginaEfirma;
    await acceder(deps, pageClient, await openPagina(pageClient, signal), credencial, HOST, signal);
  },
  salida: { host: HOST, path: '/nidp/app/plogout' },
};

async function openPaginaCiec(pageClient: PageClient, signal: AbortSignal): Promise<Pagina> {
  await pageClient.open({ host: HOST, path: VESTIBULO }, signal);
  return pageClient.submit({ host: HOST, path: PAGINA_CIEC }, Buffer.alloc(0), signal);
}

/** The provider may put a form in between, which a script of the page sends. */
async function openPaginaEfirma(pageClient: PageClient, signal: AbortSignal): Promise<Pagina> {
  const pagina = await pageClient.open({ host: HOST, path: PAGINA_EFIRMA }, signal);
  if (isPaginaAcceso(pagina.etiquetas)) return pagina;
  const formulario = readFormularios(pagina.etiquetas)[0];
  return formulario === undefined ? pagina : sendFormulario(pageClient, pagina, formulario, signal);
}
