import type { DireccionSat } from '../http/direcciones.ts';
import { ilegible } from '../texto.ts';
import type { PageClient, Pagina } from './page-client.ts';
import { assertLoggedInRfc } from './paginas/pagina-portal.ts';
import type { Login, Portal } from './portal.ts';
import { assertMayLogIn, logIn } from './sesion/log-in.ts';
import { assertSesionViva } from './sesion/sesion-vencida.ts';
import { HOST_ACCESO, HOST_PORTAL } from './settings.ts';

/** The CFDI portal (issued and received). */
export const PORTAL_CFDI: Portal = {
  nombre: 'cfdi',
  enter,
  salida: { host: HOST_PORTAL, path: '/logout.aspx?salir=y' },
};

/** phpcfdi/cfdi-sat-scraper, src/URLS.php. */
const PAGINA_CIEC = '/nidp/app/login?id=SATUPCFDiCon&sid=0&option=credential&sid=0';
const PAGINA_CIEC_FEDERATED = '/nidp/wsfed/ep?id=SATUPCFDiCon&sid=0&option=credential&sid=0';
const PAGINA_EFIRMA = '/nidp/app/login?id=SATx509Custom&sid=0&option=credential&sid=0';

/**
 * Logs in to the CFDI portal with the CIEC or the e.firma. The portal's page must name the RFC of the credential, else
 * RESPUESTA_ILEGIBLE. For the other errors see {@link logIn}.
 */
async function enter(login: Login): Promise<void> {
  assertMayLogIn(login);
  const { pageClient, credencial } = login;
  if (credencial.tipo === 'efirma') await approachEfirma(pageClient);
  const path = credencial.tipo === 'ciec' ? PAGINA_CIEC : PAGINA_EFIRMA;
  await logIn(login, await pageClient.open({ host: HOST_ACCESO, path }), HOST_ACCESO);
  await enterPortal(pageClient, credencial.rfc);
}

/**
 * The provider shows the page of the e.firma only to a browser that the portal sent to it and that was asked for the
 * CIEC first.
 */
async function approachEfirma(pageClient: PageClient): Promise<void> {
  const pagina = await pageClient.open({ host: HOST_PORTAL, path: '/' });
  if (pagina.direccion.host === HOST_ACCESO) return;
  await pageClient.submit({ host: HOST_ACCESO, path: PAGINA_CIEC_FEDERATED }, Buffer.alloc(0));
}

/** The portal sends the browser through the identity provider (WS-Federation) and ends on a page that names the RFC. */
async function enterPortal(pageClient: PageClient, rfc: string): Promise<void> {
  const pagina = await pageClient.open({ host: HOST_PORTAL, path: '/' });
  if (pagina.direccion.host !== HOST_PORTAL) throw ilegible('el acceso no llegó al portal');
  assertLoggedInRfc(pagina.etiquetas, rfc, true);
}

/**
 * Opens one page of the portal in the name of `rfc`. When only the portal's own session ended, the identity provider
 * renews it on the way and leaves the browser on the start page: the page is then opened again. Throws SesionVencida
 * when a log-in is due and RESPUESTA_ILEGIBLE when another page stays or names another RFC.
 */
export async function openPage(pageClient: PageClient, direccion: DireccionSat, rfc: string): Promise<Pagina> {
  for (let intento = 1; intento <= 2; intento += 1) {
    const pagina = await pageClient.open(direccion);
    assertSesionViva(pagina);
    if (!isSame(pagina.direccion, direccion)) continue;
    assertLoggedInRfc(pagina.etiquetas, rfc, false);
    return pagina;
  }
  throw ilegible('el portal muestra otra página');
}

function isSame(a: DireccionSat, b: DireccionSat): boolean {
  const [ours, asked] = [a, b].map(({ host, path }) => `${host}${path.split('?')[0]}`.toLowerCase());
  return ours === asked;
}
