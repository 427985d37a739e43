import type { Credencial } from '@acuse/core';
import { createNavegador, type Navegador, type Pagina } from '../navegador.ts';
import { readAcceso } from '../paginas/acceso/pagina-acceso.ts';
import { isPaginaEfirma } from '../paginas/acceso/pagina-efirma.ts';
import { readFormularios } from '../paginas/formulario.ts';
import { acceder, assertPuedeAcceder } from '../sesion/acceder.ts';
import type { AccesoDeps, Portal } from '../sesion/portal.ts';
import { sendFormulario } from './saml.ts';

const HOST = 'login.siat.sat.gob.mx';

/** The register of taxpayers, behind the identity provider of the taxpayer mailbox. */
export const PORTAL_SIAT: Portal = {
  nombre: 'siat',
  open: openSesion,
  salida: { host: HOST, path: '/nidp/app/plogout' },
};

/** phpcfdi/csf-sat-scraper, `AuthenticationService`; SAT-CFDI/python-satcfdi, `SATPortalConstancia`. */
const VESTIBULO = '/nidp/app?sid=1';
const PAGINA_CIEC = '/nidp/app/login?id=ptsc-ciec&sid=1&option=credential';
const PAGINA_EFIRMA = '/nidp/idff/sso?id=fiel_Aviso';

/** Logs in at the identity provider. No page of it names the RFC for certain: the document that is fetched with the session does. */
async function openSesion(deps: AccesoDeps, credencial: Credencial, signal: AbortSignal): Promise<Navegador> {
  assertPuedeAcceder(deps, credencial);
  const navegador = createNavegador(deps.http, deps.settings);
  const pagina =
    credencial.tipo === 'ciec'
      ? await openPaginaCiec(navegador, signal)
      : await openPaginaEfirma(navegador, signal);
  await acceder(deps, navegador, pagina, credencial, HOST, signal);
  return navegador;
}

async function openPaginaCiec(navegador: Navegador, signal: AbortSignal): Promise<Pagina> {
  await navegador.open({ host: HOST, path: VESTIBULO }, signal);
  return navegador.submit({ host: HOST, path: PAGINA_CIEC }, Buffer.alloc(0), signal);
}

/** The provider may put a form in between, which a script of the page sends. */
async function openPaginaEfirma(navegador: Navegador, signal: AbortSignal): Promise<Pagina> {
  const pagina = await navegador.open({ host: HOST, path: PAGINA_EFIRMA }, signal);
  if (isPaginaEfirma(pagina.etiquetas) || readAcceso(pagina.etiquetas) !== null) return pagina;
  const formulario = readFormularios(pagina.etiquetas)[0];
  return formulario === undefined ? pagina : sendFormulario(navegador, pagina, formulario, signal);
}
