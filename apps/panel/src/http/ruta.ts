import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { PanelDeps } from '../panel-deps.ts';
import type { Browser } from './browser.ts';

/** Who may see a page: anybody, somebody logged in, or the operator of the installation. */
export type Acceso = 'publica' | 'cliente' | 'operador';

/**
 * Who is logged in. Everything that a page reads or writes is narrowed by `cuentaId`: another account's ids answer like
 * missing ones.
 */
export interface Usuario {
  readonly id: string;
  readonly cuentaId: string;
  readonly email: string;
  readonly nombre: string;
  readonly rol: 'CLIENTE' | 'OPERADOR';
  /** Why the operator suspended the account; null while it is open. */
  readonly suspension: string | null;
}

/** The parts of a page that its layout needs. */
export interface Pagina {
  readonly titulo: string;
  readonly contenido: Child;
  /** HTTP status; 200 unless said. */
  readonly status?: 200 | 400 | 403 | 404 | 409 | 410 | 422 | 429 | 503;
  /** Names of files in assets/ that this page alone needs (progressive enhancement; every page works without them). */
  readonly scripts?: readonly string[];
  /**
   * Seconds after which what was refused may be tried again: programs are told as well (`Retry-After`; RFC 9110,
   * section 10.2.3).
   */
  readonly esperar?: number | undefined;
}

/** A short message shown on the next page, kept in the session. */
export interface Aviso {
  readonly tono: 'exito' | 'error' | 'info';
  readonly texto: string;
}

export interface ContextoBase {
  readonly c: Context;
  readonly deps: PanelDeps;
  /**
   * For the CSP: whatever the layout puts into the page carries it. No page writes inline scripts or styles of its own.
   */
  readonly nonce: string;
  /** Value of the hidden field `_csrf` of every form; use the component `Formulario`, which puts it there. */
  readonly csrf: string;
  /** Of the caller, behind trusted proxies. */
  readonly ip: string;
  readonly now: Date;
  /**
   * Fields of a posted form, each once; files are not strings. Too large, too many or repeated fields were refused
   * before.
   */
  readonly campos: Readonly<Record<string, string>>;
  /** Files of a posted form (`multipart/form-data`), by the name of their field. */
  readonly archivos: Readonly<Record<string, File>>;
  /** The session of this browser: only log-in and the pages of the account change it. */
  readonly browser: Browser;
  /** Renders a whole page in the layout. */
  pagina(pagina: Pagina): Response;
  /** The one page for whatever is not there, or is another account's: nothing tells the two apart. */
  noEncontrada(): Response;
  /** 303 to a path of the panel, with a message for the page that follows. */
  redirigir(path: string, aviso?: Aviso): Promise<Response>;
}

export interface ContextoCliente extends ContextoBase {
  readonly usuario: Usuario;
}

export type ContextoDe<A extends Acceso> = A extends 'publica' ? ContextoBase : ContextoCliente;

/** One address of the panel. POST routes are only reached with a valid CSRF token and origin. */
export interface Ruta {
  readonly metodo: 'GET' | 'POST';
  /** Hono's pattern, such as `/rfcs/:rfc/llaves`. */
  readonly path: string;
  readonly acceso: Acceso;
  /** Bytes of a posted body; by default 64 KiB, 256 KiB with files. */
  readonly maxBytes?: number;
  readonly handle: (contexto: ContextoCliente) => Promise<Response> | Response;
}

/** Declares one address. A public one has no `usuario` in its context. */
export function defineRuta<A extends Acceso>(ruta: {
  readonly metodo: 'GET' | 'POST';
  readonly path: string;
  readonly acceso: A;
  readonly maxBytes?: number;
  handle(contexto: ContextoDe<A>): Promise<Response> | Response;
}): Ruta {
  // The shell gives a public route the same object without a user; its own type keeps it from looking for one.
  return { ...ruta, handle: (contexto) => ruta.handle(contexto as ContextoDe<A>) };
}

/**
 * A whole application under a path, with its own answers (a tool's pages). Reached only by those whom `acceso` lets in,
 * and with any method but GET and HEAD only from the panel's own pages. Its answers get the panel's headers; a
 * `Content-Security-Policy` or an `X-Frame-Options` that they bring stays.
 */
export interface Montaje {
  /** Without a slash at the end, such as `/operador/colas/tablero`. */
  readonly path: string;
  readonly acceso: 'cliente' | 'operador';
  /** The page of the panel that has it in a frame. */
  readonly pagina: string;
  /** Answers a request whose address is the whole one. */
  readonly fetch: (
    request: Request,
    contexto: Pick<ContextoCliente, 'deps'> & { readonly activo: (nombre: string) => string },
  ) => Promise<Response> | Response;
}
