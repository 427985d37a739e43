import type { Autor } from '@acuse/core';
import type { Papel, UsuarioDeSesion } from '@acuse/db';
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { Accion, Parte } from '../acceso/permisos.ts';
import type { PanelDeps } from '../deps.ts';
import type { Browser } from './session.ts';

/**
 * Readers of a page: everyone, logged-in users (for their own data), the operator of the installation, or members with
 * the right to see or change this part of an account.
 */
export type Acceso = 'publica' | 'persona' | 'operador' | Parte;

/** Who is logged in. */
export type Persona = UsuarioDeSesion;

/**
 * A member of an account. Pages read and write by `cuentaId` alone: ids of another account answer like missing ones.
 */
export interface Usuario extends Persona {
  readonly cuentaId: string;
  readonly cuenta: string;
  readonly papel: Papel;
}

/** What a page needs of its answer beside its title and content. */
export interface Pagina {
  /** HTTP status; 200 unless said. */
  readonly status?: 200 | 400 | 403 | 404 | 409 | 410 | 422 | 429 | 503;
  /** Names of files in assets/ that this page alone needs (progressive enhancement; every page works without them). */
  readonly scripts?: readonly string[];
  /** Seconds until the next try; programs get `Retry-After` (RFC 9110, 10.2.3). */
  readonly esperar?: number | undefined;
  /** The heading where it says more than the title; null where the content has it. */
  readonly h1?: Child;
  /** Above the heading: the way back. */
  readonly camino?: Child;
  /** Beside the heading: what can be done here, or a state. */
  readonly accion?: Child;
  /** Under the heading: the way to the neighbours. */
  readonly partes?: Child;
  /** Why a form was refused, over the content. */
  readonly error?: string | undefined;
  /** In a column as wide as a short form. */
  readonly narrow?: boolean;
}

/** A short message shown on the next page, kept in the session. */
export interface Aviso {
  readonly tono: 'exito' | 'error' | 'info';
  readonly texto: string;
}

export interface ContextoBase {
  readonly c: Context;
  readonly deps: PanelDeps;
  /** For the CSP: the layout puts it where it is due. No page writes inline scripts or styles of its own. */
  readonly nonce: string;
  /** Of the caller, behind trusted proxies. */
  readonly ip: string;
  readonly now: Date;
  /** Fields of a posted form, each once, without files. Too large, too many or repeated ones were refused before. */
  readonly campos: Readonly<Record<string, string>>;
  /** Files of a posted form (`multipart/form-data`), by the name of their field. */
  readonly archivos: Readonly<Record<string, File>>;
  /** The session of this browser: only log-in and the pages of the account change it. */
  readonly browser: Browser;
  /** Renders a whole page in the layout, under its heading. */
  pagina(titulo: string, contenido: Child, pagina?: Pagina): Response;
  /** The one page for whatever is not there, or is another account's: nothing tells the two apart. */
  noEncontrada(): Response;
  /** 303 to a path of the panel, with a message for the page that follows. */
  redirectTo(path: string, aviso?: Aviso): Promise<Response>;
}

/** Context of a logged-in user, in any account. */
export interface ContextoPersona extends ContextoBase {
  readonly usuario: Persona;
  /** Author and address for the audit log. */
  readonly autor: Autor & { readonly ip: string };
}

/** Context of a member of an account. */
export interface ContextoCliente extends ContextoPersona {
  readonly usuario: Usuario;
}

type ContextoDe<A extends Acceso> = A extends 'publica'
  ? ContextoBase
  : A extends 'persona' | 'operador'
    ? ContextoPersona
    : ContextoCliente;

type Answer = Promise<Response> | Response;

/** One address of the panel. POST routes are only reached with a valid CSRF token and origin. */
export interface Ruta {
  readonly metodo: 'GET' | 'POST';
  /** Hono's pattern, such as `/rfcs/:rfc/llaves`. */
  readonly path: string;
  readonly acceso: Acceso;
  /** Action on the part of an account that `acceso` names. */
  readonly accion: Accion;
  /** Bytes of a posted body; by default 64 KiB, 256 KiB with files. */
  readonly maxBytes?: number;
  readonly handle: (contexto: ContextoCliente) => Answer;
}

/** The message after an order: what it did, or that there was nothing left to do. */
export const avisoOf = (isDone: boolean, done: string, already: string): Aviso =>
  isDone ? { tono: 'exito', texto: done } : { tono: 'info', texto: already };

/**
 * Collects the addresses of one page, each declared by `get` or `post` as on a Hono application. Of a part of an
 * account a `get` is for those who may see it and a `post` for those who may change it; a `get` that begins a change,
 * such as an empty form, says so with `cambia`.
 */
export function routesFor<A extends Acceso>(acceso: A) {
  // The shell gives a public route the same object without a user; its own type keeps it from looking for one.
  return collect<[ContextoDe<A>]>(acceso, '', (handle) => (contexto) => handle(contexto as ContextoDe<A>));
}

/**
 * The same for pages of one kind of thing. `base` ends with the parameter that names it, such as `/rfcs/:rfc`, and the
 * paths continue it. `find` gets any text and searches the account of the reader, or everything for the operator. An
 * unknown thing shows the page for unknown addresses without running a handler: a thing of another account looks like a
 * missing one.
 */
export function routesOf<T, A extends Exclude<Acceso, 'publica' | 'persona'>>(
  acceso: A,
  base: `/${string}/:${string}`,
  find: (contexto: ContextoDe<A>, nombre: string) => Promise<T | null>,
) {
  const parameter = base.slice(base.lastIndexOf(':') + 1);
  return collect<[ContextoDe<A>, T]>(acceso, base, (handle) => async (given) => {
    const contexto = given as ContextoDe<A>;
    const thing = await find(contexto, given.c.req.param(parameter) ?? '');
    return thing === null ? given.noEncontrada() : handle(contexto, thing);
  });
}

interface DeclareOptions extends Pick<Ruta, 'maxBytes'> {
  readonly cambia?: true;
}

function collect<Args extends readonly unknown[]>(
  acceso: Acceso,
  base: string,
  adapt: (handle: (...args: Args) => Answer) => Ruta['handle'],
) {
  const rutas: Ruta[] = [];
  const declare =
    (metodo: Ruta['metodo']) =>
    (path: '' | `/${string}`, handle: (...args: Args) => Answer, options: DeclareOptions = {}): void => {
      const { cambia = metodo === 'POST', ...rest } = options;
      const accion = cambia ? 'cambiar' : 'ver';
      rutas.push({ metodo, path: `${base}${path}`, acceso, accion, ...rest, handle: adapt(handle) });
    };
  return { rutas: rutas as readonly Ruta[], get: declare('GET'), post: declare('POST') };
}

/**
 * A whole application under a path, with its own answers (a tool's pages). Reached only by those whom `acceso` lets in,
 * and with any method but GET and HEAD only from the panel's own pages. Its answers get the panel's headers; a
 * `Content-Security-Policy` or an `X-Frame-Options` that they bring stays.
 */
export interface Mount {
  /** Without a slash at the end, such as `/operador/colas/tablero`. */
  readonly path: string;
  readonly acceso: 'operador';
  /** The page of the panel that has it in a frame. */
  readonly pagina: string;
  /** Answers a request whose address is the whole one. */
  readonly fetch: (
    request: Request,
    contexto: Pick<ContextoCliente, 'deps'> & { readonly activo: (nombre: string) => string },
  ) => Promise<Response> | Response;
}
