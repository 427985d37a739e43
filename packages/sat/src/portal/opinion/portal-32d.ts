import { entrar, pasarAcceso } from '../entrada.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { assertRfcNombrado } from '../paginas/rfc-nombrado.ts';
import type { Portal } from '../sesion/portal.ts';
import { SesionVencida } from '../sesion/sesion-vencida.ts';
import { createPeticionAutorizacion, pedirToken, readClienteOauth, readCodigo } from './oauth.ts';

export const HOST_32D = 'ptsc32d.clouda.sat.gob.mx';
const HOST_ACCESO_32D = 'loginda.siat.sat.gob.mx';

const PUERTA = { host: HOST_32D, path: '/?/reporteOpinion32DContribuyente' };
const SERVIDOR = {
  autorizacion: { host: HOST_ACCESO_32D, path: '/nidp/oauth/nam/authz' },
  token: { host: HOST_ACCESO_32D, path: '/nidp/oauth/nam/token' },
};

/**
 * The application of the opinión 32-D. Its log-in is OAuth 2.0 with proof key at the identity provider, and there are
 * two ways of it: the application's server holds the proof key and gives the browser a session by cookie, which is what
 * public clients see (phpcfdi/opinion-cumplimiento-sat-scraper, SAT-CFDI/python-satcfdi), or its page does and sends a
 * bearer token. Whether the page has OAuth settings decides. A session is cookies in both cases: a token is asked for
 * anew by each consulta and never kept.
 */
export const PORTAL_32D: Portal = {
  nombre: '32d',
  async enter(deps, pageClient, credencial, signal) {
    const entrada = { puerta: PUERTA, hostAcceso: HOST_ACCESO_32D };
    const pagina = await entrar(deps, pageClient, credencial, entrada, signal);
    const cliente = readClienteOauth(pagina, pageClient);
    if (cliente === null) {
      assertRfcNombrado(pagina.etiquetas, credencial.rfc, false);
      return;
    }
    const peticion = createPeticionAutorizacion(cliente, SERVIDOR);
    const acceso = await pageClient.open(peticion.direccion, signal);
    const regreso = await pasarAcceso(deps, pageClient, acceso, credencial, HOST_ACCESO_32D, signal);
    if (regreso.direccion.host === HOST_32D) readCodigo(regreso, cliente, peticion.estado);
    else if (regreso.direccion.host !== HOST_ACCESO_32D) throw ilegible('el acceso no llegó al portal');
  },
  salida: { host: HOST_ACCESO_32D, path: '/nidp/app/logout' },
};

/**
 * The header that a request of the application carries: none when cookies are its session, `Bearer …` when its page
 * speaks OAuth. Throws SesionVencida when a log-in is due.
 */
export async function authorize(
  pageClient: PageClient,
  rfc: string,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const pagina = await openPuerta(pageClient, signal);
  const cliente = readClienteOauth(pagina, pageClient);
  if (cliente === null) {
    assertRfcNombrado(pagina.etiquetas, rfc, false);
    return {};
  }
  const { direccion, estado, verificador } = createPeticionAutorizacion(cliente, SERVIDOR);
  const regreso = await pageClient.open(direccion, signal);
  if (regreso.direccion.host === HOST_ACCESO_32D) throw new SesionVencida();
  const codigo = readCodigo(regreso, cliente, estado);
  const token = await pedirToken(pageClient, cliente, SERVIDOR, { codigo, verificador }, signal);
  return { authorization: `Bearer ${token}` };
}

async function openPuerta(pageClient: PageClient, signal: AbortSignal): Promise<Pagina> {
  const pagina = await pageClient.open(PUERTA, signal);
  if (pagina.direccion.host === HOST_ACCESO_32D) throw new SesionVencida();
  if (pagina.direccion.host !== HOST_32D) throw ilegible('el portal 32-D lleva a otro servidor');
  return pagina;
}
