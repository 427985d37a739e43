import { SatError } from '@acuse/core';
import { Cookie, CookieJar } from 'tough-cookie';
import type { DireccionSat } from '../http/direcciones.ts';
import type { SatHttp, SatHttpRequest, SatHttpResponse } from '../http/sat-http.ts';
import { ilegible } from '../texto.ts';
import { type Etiqueta, readTags } from './paginas/etiquetas.ts';
import { encodeForm, type Formulario, readCampos } from './paginas/formulario.ts';
import { readJump } from './paginas/pagina-portal.ts';
import { HOSTS_ACCESO, type PortalSettings } from './settings.ts';

export interface Pagina {
  /** Where the chain of redirects and auto-submitted forms ended. */
  readonly direccion: DireccionSat;
  readonly texto: string;
  readonly etiquetas: readonly Etiqueta[];
  /** An identity provider renewed the session on the way: a form that was sent did not arrive. */
  readonly porAcceso: boolean;
}

type Peticion<E extends 'text' | 'stream'> = Omit<SatHttpRequest<E>, 'signal'>;

/**
 * A browser without scripts: cookies, redirects and auto-submitted forms, among the allowed hosts only. Every request
 * names the page that it comes from (`Referer`): without it the identity provider answers the page of the e.firma empty
 * (SAT-CFDI/python-satcfdi, issue 63).
 */
export interface PageClient {
  /**
   * GET, and whatever the answer leads to by itself. Rejects with SERVICIO_CON_ERROR, codigo PAGINA_VACIA, for a page
   * without a text.
   */
  open(direccion: DireccionSat): Promise<Pagina>;
  /**
   * POST of a form, and whatever the answer leads to by itself. The body is not sent a second time by a redirect.
   * Rejects like {@link PageClient.open}, unless `mayBeEmpty`.
   */
  submit(direccion: DireccionSat, body: Buffer, options?: { readonly mayBeEmpty: boolean }): Promise<Pagina>;
  /** One request with the cookies; a redirect is an answer like any other. */
  request<E extends 'text' | 'stream'>(peticion: Peticion<E>): Promise<SatHttpResponse<E>>;
  /** Reads an address written on a page, '' for the page's own. Throws HOST_NO_PERMITIDO for a foreign host. */
  resolve(url: string, desde: DireccionSat): DireccionSat;
  /** The cookies, for {@link createPageClient}. Secret. */
  cookies(): string;
  /** Ends every request. */
  readonly signal: AbortSignal;
  /** The same browser, whose requests another signal ends. */
  withSignal(signal: AbortSignal): PageClient;
}

const FORMULARIO = { 'content-type': 'application/x-www-form-urlencoded' };

/** A browser with these cookies, none by default. Throws for a text that holds no cookies. */
export function createPageClient(
  http: SatHttp,
  settings: PortalSettings,
  signal: AbortSignal,
  cookies: string | null = null,
): PageClient {
  const jar = cookies === null ? new CookieJar(undefined, { looseMode: true }) : CookieJar.fromJSON(cookies);
  return openWith({ jar, pagina: null }, http, settings, signal);
}

/** The window of a browser: its cookies, and the page that it shows. */
interface Ventana {
  readonly jar: CookieJar;
  pagina: DireccionSat | null;
}

function openWith(ventana: Ventana, http: SatHttp, settings: PortalSettings, signal: AbortSignal): PageClient {
  const { jar } = ventana;

  async function request<E extends 'text' | 'stream'>(peticion: Peticion<E>) {
    const url = `https://${peticion.host}${peticion.path}`;
    const cookie = jar.getCookieStringSync(url);
    const { pagina } = ventana;
    const answer = await http.request<E>({
      ...peticion,
      headers: {
        'user-agent': settings.userAgent,
        accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        'accept-language': 'es-MX,es;q=0.9',
        ...(pagina === null ? {} : { referer: `https://${pagina.host}${pagina.path}` }),
        ...peticion.headers,
        ...(cookie === '' ? {} : { cookie }),
      },
      maxBytes: peticion.maxBytes ?? settings.maxPaginaBytes,
      signal,
    });
    const sent = answer.headers['set-cookie'];
    for (const line of sent === undefined ? [] : [sent].flat()) {
      const parsed = Cookie.parse(line, { loose: true });
      if (parsed !== undefined) jar.setCookieSync(parsed, url, { ignoreError: true });
    }
    return answer;
  }

  async function follow(first: Peticion<'text'>, mayBeEmpty = false): Promise<Pagina> {
    let peticion = first;
    let porAcceso = false;
    for (let saltos = 0; saltos <= settings.maxSaltos; saltos += 1) {
      const { host, path } = peticion;
      porAcceso ||= HOSTS_ACCESO.includes(host);
      const answer = await request(peticion);
      if (answer.status >= 300) {
        const location = [answer.headers['location']].flat()[0];
        // 307 and 308 would send a form, perhaps the one with the password, once more to a place of the server's
        // choice.
        if (location === undefined || (peticion.method === 'POST' && answer.status >= 307)) {
          throw ilegible(`redireccion HTTP ${answer.status}`);
        }
        peticion = { method: 'GET', expect: 'text', ...http.resolve(location, { host, path }) };
        continue;
      }
      ventana.pagina = { host, path };
      if (answer.body.trim() === '' && !mayBeEmpty)
        throw new SatError('SERVICIO_CON_ERROR', { codigo: 'PAGINA_VACIA' });
      const etiquetas = readTags(answer.body);
      const salto = readJump(etiquetas);
      if (salto === null) return { direccion: { host, path }, texto: answer.body, etiquetas, porAcceso };
      const destino = http.resolve(salto.destino, { host, path });
      peticion =
        salto.metodo === 'GET'
          ? { method: 'GET', expect: 'text', ...destino }
          : { method: 'POST', expect: 'text', ...destino, headers: FORMULARIO, body: encodeForm(salto.campos) };
    }
    throw ilegible('demasiadas redirecciones');
  }

  return {
    open: (direccion) => follow({ method: 'GET', expect: 'text', ...direccion }),
    submit: (direccion, body, options) =>
      follow({ method: 'POST', expect: 'text', ...direccion, headers: FORMULARIO, body }, options?.mayBeEmpty),
    request,
    resolve: (url, desde) => http.resolve(url, desde),
    cookies: () => JSON.stringify(jar.toJSON()),
    signal,
    withSignal: (other) => openWith(ventana, http, settings, other),
  };
}

/**
 * Sends a form of a page as a browser would, with these fields or as the page filled it in. Throws RESPUESTA_ILEGIBLE
 * for one that is not sent by POST.
 */
export async function submitForm(
  pageClient: PageClient,
  { direccion }: Pagina,
  { accion, metodo, etiquetas }: Formulario,
  campos: ReadonlyMap<string, string> = readCampos(etiquetas),
): Promise<Pagina> {
  if (metodo !== 'POST') throw ilegible('formulario sin POST');
  return pageClient.submit(pageClient.resolve(accion, direccion), encodeForm(campos));
}
