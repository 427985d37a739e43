import { createHash, randomBytes } from 'node:crypto';
import type { DireccionSat } from '../../http/direcciones.ts';
import { ilegible, parseObjeto } from '../../texto.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { encodeForm } from '../paginas/formulario.ts';
import { assertRfcNombrado } from '../paginas/pagina-portal.ts';
import type { Portal } from '../portal.ts';
import { passAcceso, signIn } from '../sesion/log-in.ts';
import { assertSesionViva, SesionVencida } from '../sesion/sesion-vencida.ts';

export const HOST_32D = 'ptsc32d.clouda.sat.gob.mx';
const HOST_ACCESO_32D = 'loginda.siat.sat.gob.mx';

const ENTRY = { host: HOST_32D, path: '/?/reporteOpinion32DContribuyente' };
/** Of the identity provider (NetIQ Access Manager, OAuth and OpenID Connect endpoints). */
const SERVIDOR = {
  autorizacion: { host: HOST_ACCESO_32D, path: '/nidp/oauth/nam/authz' },
  token: { host: HOST_ACCESO_32D, path: '/nidp/oauth/nam/token' },
};

/**
 * The application of the opinión 32-D. Its log-in is OAuth 2.0 with proof key at the identity provider, in one of two
 * ways: the server of the application holds the proof key and gives the browser a session cookie, as public clients see
 * (phpcfdi/opinion-cumplimiento-sat-scraper, SAT-CFDI/python-satcfdi), or the page holds it and sends a bearer token.
 * OAuth settings in the page select the second way. A session is cookies in both: each consulta requests a new token
 * and never stores it.
 */
export const PORTAL_32D: Portal = {
  nombre: '32d',
  async enter(login) {
    const { pageClient, credencial } = login;
    const pagina = await signIn(login, ENTRY, HOST_ACCESO_32D);
    const cliente = readClienteOauth(pagina, pageClient);
    if (cliente === null) {
      assertRfcNombrado(pagina.etiquetas, credencial.rfc, false);
      return;
    }
    const peticion = createPeticionAutorizacion(cliente);
    const acceso = await pageClient.open(peticion.direccion);
    const regreso = await passAcceso(login, acceso, HOST_ACCESO_32D);
    if (regreso.direccion.host === HOST_32D) readCodigo(regreso, cliente, peticion.estado);
    else if (regreso.direccion.host !== HOST_ACCESO_32D) throw ilegible('el acceso no llegó al portal');
  },
  salida: { host: HOST_ACCESO_32D, path: '/nidp/app/logout' },
};

/**
 * The header that a request of the application carries: none when cookies are its session, `Bearer …` when its page
 * speaks OAuth. Throws SesionVencida when a log-in is due.
 */
export async function authorize(pageClient: PageClient, rfc: string): Promise<Record<string, string>> {
  const pagina = await pageClient.open(ENTRY);
  assertSesionViva(pagina, HOST_32D);
  const cliente = readClienteOauth(pagina, pageClient);
  if (cliente === null) {
    assertRfcNombrado(pagina.etiquetas, rfc, false);
    return {};
  }
  const { direccion, estado, verificador } = createPeticionAutorizacion(cliente);
  const regreso = await pageClient.open(direccion);
  if (regreso.direccion.host === HOST_ACCESO_32D) throw new SesionVencida();
  const codigo = readCodigo(regreso, cliente, estado);
  const token = await askForToken(pageClient, cliente, { codigo, verificador });
  return { authorization: `Bearer ${token}` };
}

/**
 * A public client of OAuth 2.0 (RFC 6749, section 2.1) as a single-page application writes its settings into its page.
 */
interface ClienteOauth {
  readonly id: string;
  readonly regreso: DireccionSat;
  /** The same as it was written: the provider compares the text. */
  readonly redirectUri: string;
  readonly scope: string;
}

const MAX_SCRIPT = 65_536;
const PAR =
  /["']?\b(client_?id|redirect_?uri|scope)["']?\s*[:=]\s*(?:"([^"\s<>]{1,300})"|'([^'\s<>]{1,300})'|"([\w ]{1,200})")/gi;

/**
 * The settings in the scripts of a page; null when there are none, that is, when the portal's own server speaks OAuth.
 */
function readClienteOauth(pagina: Pagina, pageClient: PageClient): ClienteOauth | null {
  const pares = new Map<string, string>();
  for (const { nombre, closes, texto } of pagina.etiquetas) {
    if (closes || nombre !== 'script') continue;
    for (const [, clave = '', ...valores] of texto.slice(0, MAX_SCRIPT).matchAll(PAR)) {
      const valor = valores.find((v) => v !== undefined);
      if (valor !== undefined) pares.set(clave.toLowerCase().replace('_', ''), valor);
    }
  }
  const id = pares.get('clientid');
  const redirectUri = pares.get('redirecturi');
  if (id === undefined || redirectUri === undefined) return null;
  const regreso = pageClient.resolve(redirectUri, pagina.direccion);
  if (regreso.host !== pagina.direccion.host) throw ilegible('OAuth: regreso a otro servidor');
  return { id, redirectUri, regreso, scope: pares.get('scope') ?? 'openid' };
}

/**
 * The request for a code with proof key (RFC 7636, method S256) and a state that only we know (RFC 6749, section
 * 10.12): its secrets are fresh each time and live only until the token came.
 */
function createPeticionAutorizacion({ id, redirectUri, scope }: ClienteOauth) {
  const verificador = randomBytes(32).toString('base64url');
  const estado = randomBytes(16).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    scope,
    state: estado,
    code_challenge: createHash('sha256').update(verificador).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return {
    direccion: { ...SERVIDOR.autorizacion, path: `${SERVIDOR.autorizacion.path}?${query}` },
    estado,
    verificador,
  };
}

/**
 * The code that a page of return carries. Throws RESPUESTA_ILEGIBLE for another place, another state, an error, or no
 * single code.
 */
function readCodigo({ direccion }: Pagina, { regreso }: ClienteOauth, estado: string): string {
  const [camino, query = ''] = direccion.path.split('?');
  if (direccion.host !== regreso.host || camino !== regreso.path.split('?')[0]) {
    throw ilegible('OAuth: no regresó a la aplicación');
  }
  const campos = new URLSearchParams(query);
  const [codigos, estados] = [campos.getAll('code'), campos.getAll('state')];
  if (campos.has('error')) throw ilegible('OAuth: autorización negada');
  if (estados.length !== 1 || estados[0] !== estado) throw ilegible('OAuth: el estado no es el enviado');
  const [codigo] = codigos;
  if (codigo === undefined || codigo === '' || codigos.length > 1) throw ilegible('OAuth: sin código');
  return codigo;
}

/**
 * Changes the code for an access token (RFC 6749, section 4.1.3). Throws RESPUESTA_ILEGIBLE for an answer without a
 * bearer token.
 */
async function askForToken(
  pageClient: PageClient,
  { id, redirectUri }: ClienteOauth,
  { codigo, verificador }: { readonly codigo: string; readonly verificador: string },
): Promise<string> {
  const body = encodeForm([
    ['grant_type', 'authorization_code'],
    ['code', codigo],
    ['redirect_uri', redirectUri],
    ['client_id', id],
    ['code_verifier', verificador],
  ]);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const answer = await pageClient.request({
    ...SERVIDOR.token,
    method: 'POST',
    expect: 'text',
    headers,
    body,
    maxBytes: 65_536,
  });
  const datos = answer.status === 200 ? parseObjeto(answer.body) : null;
  const tipo = datos?.['token_type'];
  const acceso = datos?.['access_token'];
  if (typeof tipo !== 'string' || tipo.toLowerCase() !== 'bearer' || typeof acceso !== 'string') {
    throw ilegible('OAuth: sin token');
  }
  // RFC 6750, section 2.1: anything else would be another header.
  if (!/^[\w.~+/-]+=*$/.test(acceso)) throw ilegible('OAuth: token con caracteres ajenos');
  return acceso;
}
