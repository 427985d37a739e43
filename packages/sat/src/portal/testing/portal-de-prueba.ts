import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAcceso } from './acceso-de-prueba.ts';
import { createConsultas } from './consultas-de-prueba.ts';
import type { Oferta } from './paginas-de-prueba.ts';

export interface Peticion {
  readonly metodo: string;
  /** Host label and path, as `portalcfdi/ConsultaEmisor.aspx`. */
  readonly donde: string;
  readonly query: URLSearchParams;
  readonly cuerpo: string;
  readonly campos: URLSearchParams;
  readonly cookies: ReadonlyMap<string, string>;
  readonly headers: IncomingMessage['headers'];
}

export type Responder = (peticion: Peticion, res: ServerResponse) => boolean | Promise<boolean>;

/** What the tests change while the server runs. */
export interface Guion {
  ciecs: Map<string, string>;
  /** Certificates (DER) of the e.firmas that the identity provider knows, by RFC. */
  efirmas: Map<string, Buffer>;
  textoEfirma: string;
  /** Text that a page of the e.firma wants signed; null for a new one each time. */
  guid: string | null;
  /** Text that refuses a captcha; the next `captchasRechazados` log-ins get it whatever they say. */
  captchasRechazados: number;
  textoCaptcha: string;
  textoCiec: string;
  /** Sent instead of the step after a good log-in. */
  trasElAcceso: ((res: ServerResponse) => void) | null;
  /** RFC that the portal's pages show; null for the one that logged in. */
  rfcMostrado: string | null;
  muestraRfc: boolean;
  accionAcceso: string;
  /** Folios of the search result; empty for none. */
  filas: string[];
  /** Overrides of the answers of the search steps and of the page method. */
  eleccion: ((texto: string) => string) | null;
  resultado: ((texto: string) => string) | null;
  respuestaFolio: string;
  ofertas: Oferta[];
  descarga: (res: ServerResponse, campos: URLSearchParams) => void;
}

export interface PortalDePrueba {
  readonly baseUrl: string;
  readonly guion: Guion;
  readonly peticiones: Peticion[];
  /** Times that a password was sent. */
  envios(): number;
  /** Times that a signed challenge was sent. */
  firmas(): number;
  /** Paths of the portal that were asked for, in order. */
  caminos(metodo?: string): string[];
  /** Fields of the searches, as they came. */
  readonly busquedas: URLSearchParams[];
  /** Parameters that the page method got. */
  readonly solicitudes: string[];
  /** The portal forgets its sessions; `todas` those of the identity provider too. */
  expire(que: 'portal' | 'todas'): void;
  readonly salidas: string[];
  close(): Promise<void>;
}

export const FOLIO = '3F2504E0-4F89-41D3-9A0C-0305E82C3301';

/**
 * A small portal of the SAT by hand, behind `baseUrl` of the HTTP layer: log-in, WS-Federation, search, list, download.
 */
export async function startPortalDePrueba(): Promise<PortalDePrueba> {
  const guion: Guion = {
    ciecs: new Map(),
    efirmas: new Map(),
    textoEfirma: 'El certificado no es v&aacute;lido',
    guid: null,
    captchasRechazados: 0,
    textoCaptcha: 'Captcha no v&aacute;lido',
    textoCiec: 'El RFC o contrase\\u00f1a son incorrectos. Verifique su informaci\\xf3n e int\\u00e9ntelo de nuevo.',
    trasElAcceso: null,
    rfcMostrado: null,
    muestraRfc: true,
    accionAcceso: '',
    filas: ['6F9619FF-8B86-D011-B42D-00CF4FC964FF'],
    eleccion: null,
    resultado: null,
    respuestaFolio: JSON.stringify({ d: `Su solicitud se registr\u00f3 con el folio de descarga: ${FOLIO}` }),
    ofertas: [],
    descarga: (res) => res.end(),
  };
  const peticiones: Peticion[] = [];
  const acceso = createAcceso(guion);
  const consultas = createConsultas(guion);
  const server = createServer((req, res) => {
    void readPeticion(req).then(async (peticion) => {
      peticiones.push(peticion);
      for (const responder of [acceso.responder, consultas.responder]) {
        if (await responder(peticion, res)) return;
      }
      res.writeHead(404).end();
    });
  });
  // Who asks closes what is idle: else a request may meet a connection that this server has just closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    guion,
    peticiones,
    envios: () => peticiones.filter((p) => p.campos.has('Ecom_Password')).length,
    firmas: () => peticiones.filter((p) => (p.campos.get('token') ?? '') !== '').length,
    caminos: (metodo) => peticiones.filter((p) => metodo === undefined || p.metodo === metodo).map((p) => p.donde),
    busquedas: consultas.busquedas,
    solicitudes: consultas.solicitudes,
    expire: acceso.expire,
    salidas: acceso.salidas,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readPeticion(req: IncomingMessage): Promise<Peticion> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  const url = new URL(req.url ?? '/', 'http://portal');
  const cuerpo = Buffer.concat(chunks).toString();
  const form = req.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return {
    metodo: req.method ?? '',
    donde: url.pathname.slice(1),
    query: url.searchParams,
    cuerpo,
    campos: new URLSearchParams(form ? cuerpo : ''),
    cookies: new Map(
      (req.headers.cookie ?? '').split('; ').map((pair) => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    ),
    headers: req.headers,
  };
}

export function sendHtml(res: ServerResponse, html: string, headers: Record<string, string> = {}): true {
  res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html);
  return true;
}

export function redirect(res: ServerResponse, location: string, headers: Record<string, string> = {}): true {
  res.writeHead(302, { location, ...headers }).end();
  return true;
}
