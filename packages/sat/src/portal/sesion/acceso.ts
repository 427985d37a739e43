import type { Credencial } from '@acuse/core';
import type { PageClient } from '../page-client.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { assertRfcAutenticado } from '../paginas/pagina-portal.ts';
import { HOST_ACCESO, HOST_PORTAL } from '../settings.ts';
import { acceder, assertPuedeAcceder } from './acceder.ts';
import type { AccesoDeps, Portal } from './portal.ts';

/** The CFDI portal (issued and received). */
export const PORTAL_CFDI: Portal = {
  nombre: 'cfdi',
  enter,
  salida: { host: HOST_PORTAL, path: '/logout.aspx?salir=y' },
};

/** phpcfdi/cfdi-sat-scraper, src/URLS.php. */
const PAGINA_CIEC = '/nidp/app/login?id=SATUPCFDiCon&sid=0&option=credential&sid=0';
const PAGINA_CIEC_FEDERADA = '/nidp/wsfed/ep?id=SATUPCFDiCon&sid=0&option=credential&sid=0';
const PAGINA_EFIRMA = '/nidp/app/login?id=SATx509Custom&sid=0&option=credential&sid=0';

/**
 * Logs in to the CFDI portal with the CIEC or the e.firma. The portal's page must name the RFC of the credential, else
 * RESPUESTA_ILEGIBLE. For the other errors see {@link acceder}.
 */
async function enter(
  deps: AccesoDeps,
  pageClient: PageClient,
  credencial: Credencial,
  signal: AbortSignal,
): Promise<void> {
  assertPuedeAcceder(deps, credencial);
  if (credencial.tipo === 'efirma') await approachEfirma(pageClient, signal);
  const path = credencial.tipo === 'ciec' ? PAGINA_CIEC : PAGINA_EFIRMA;
  const pagina = await pageClient.open({ host: HOST_ACCESO, path }, signal);
  await acceder(deps, pageClient, pagina, credencial, HOST_ACCESO, signal);
  await enterPortal(pageClient, credencial.rfc, signal);
}

/**
 * The provider shows the page of the e.firma only to a browser that the portal sent to it and that was asked for the
 * CIEC first.
 */
async function approachEfirma(pageClient: PageClient, signal: AbortSignal): Promise<void> {
  const pagina = await pageClient.open({ host: HOST_PORTAL, path: '/' }, signal);
  if (pagina.direccion.host === HOST_ACCESO) return;
  await pageClient.submit({ host: HOST_ACCESO, path: PAGINA_CIEC_FEDERADA }, Buffer.alloc(0), signal);
}

/** The portal sends the browser through the identity provider (WS-Federation) and ends on a page that names the RFC. */
async function enterPortal(pageClient: PageClient, rfc: string, signal: AbortSignal): Promise<void> {
  const pagina = await pageClient.open({ host: HOST_PORTAL, path: '/' }, signal);
  if (pagina.direccion.host !== HOST_PORTAL) throw ilegible('el acceso no llegó al portal');
  assertRfcAutenticado(pagina.etiquetas, rfc, true);
}
