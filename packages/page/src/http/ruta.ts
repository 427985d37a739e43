import { parseRfc } from '@acuse/contract';
import type { Autor } from '@acuse/core';
import { createContribuyentes, type Papel, type RfcVista, type UsuarioDeSesion } from '@acuse/db';
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { Accion, Parte } from '../acceso/permisos.ts';
import type { PageDeps } from '../deps.ts';
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
export interface Mensaje {
  readonly tono: 'exito' | 'error' | 'info';
  readonly texto: string;
}

/** What stands beside the names of taxpayers, by RFC. */
export type Badges = ReadonlyMap<string, Child>;

export interface ContextoBase<D extends PageDeps = PageDeps> {
  readonly c: Context;
  readonly deps: D;
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
  /** Badges of these taxpayers, of all features: read once a page, for all of its rows. */
  badges(rfcs: readonly string[]): Promise<Badges>;
  /** Renders a whole page in the layout, under its heading. */
  pagina(titulo: string, contenido: Child, pagina?: Pagina): Response;
  /** The one page for whatever is not there, or is another account's: nothing tells the two apart. */
  noEncontrada(): Response;
  /** 303 to a path of the panel, with a message for the page that follows. */
  redirectTo(path: string, aviso?: Mensaje): Promise<Response>;
}

/** Context of a logged-in user, in any account. */
export interface PersonContext<D extends PageDeps = PageDeps> extends ContextoBase<D> {
  readonly usuario: Persona;
  /** Author and address for the audit log. */
  readonly autor: Autor & { readonly ip: string };
}

/** Context of a member of an account. */
export interface ContextoCliente<D extends PageDeps = PageDeps> extends PersonContext<D> {
  readonly usuario: Usuario;
}

/** Context of a page for those whom `A` lets in. */
export type ContextoDe<A extends Acceso, D extends PageDeps> = A extends 'publica'
  ? ContextoBase<D>
  : A extends 'persona' | 'operador'
    ? PersonContext<D>
    : ContextoCliente<D>;

type Answer = Promise<Response> | Response;

/** One address of the panel. POST routes are only reached with a valid CSRF token and origin. */
export interface Ruta<D extends PageDeps = PageDeps> {
  readonly metodo: 'GET' | 'POST';
  /** Hono's pattern, such as `/rfcs/:rfc/llaves`. */
  readonly path: string;
  readonly acceso: Acceso;
  /** Action on the part of an account that `acceso` names. */
  readonly accion: Accion;
  /** Bytes of a posted body; by default 64 KiB, 256 KiB with files. */
  readonly maxBytes?: number;
  readonly handle: (contexto: ContextoCliente<D>) => Answer;
}

/** The message after an order: what it did, or that there was nothing left to do. */
export const avisoOf = (isDone: boolean, done: string, already: string): Mensaje =>
  isDone ? { tono: 'exito', texto: done } : { tono: 'info', texto: already };

/** Definers of pages that need the ports `D`. */
export function pagesWith<D extends PageDeps>() {
  /**
   * Collects the addresses of one page, each declared by `get` or `post` as on a Hono application. Of a part of an
   * account a `get` is for those who may see it and a `post` for those who may change it; a `get` that begins a change,
   * such as an empty form, says so with `cambia`.
   */
  function routesFor<A extends Acceso>(acceso: A) {
    // The shell gives a public route the same object without a user; its own type keeps it from looking for one.
    return collect<D, [ContextoDe<A, D>]>(acceso, '', (handle) => (contexto) => handle(contexto as ContextoDe<A, D>));
  }

  /**
   * The same for pages of one kind of thing. `base` ends with the parameter that names it, such as `/rfcs/:rfc`, and the
   * paths continue it. `find` gets any text and searches the account of the reader, or everything for the operator. An
   * unknown thing shows the page for unknown addresses without running a handler: a thing of another account looks like
   * a missing one.
   */
  function routesOf<T, A extends Exclude<Acceso, 'publica' | 'persona'>>(
    acceso: A,
    base: `/${string}/:${string}`,
    find: (contexto: ContextoDe<A, D>, nombre: string) => Promise<T | null>,
  ) {
    const parameter = base.slice(base.lastIndexOf(':') + 1);
    return collect<D, [ContextoDe<A, D>, T]>(acceso, base, (handle) => async (given) => {
      const contexto = given as ContextoDe<A, D>;
      const thing = await find(contexto, given.c.req.param(parameter) ?? '');
      return thing === null ? given.noEncontrada() : handle(contexto, thing);
    });
  }

  /** The addresses of a page of an RFC of the account, for those who may see or change `parte`. */
  const rfcRoutes = (parte: Parte) =>
    routesOf<RfcVista, Parte>(parte, '/rfcs/:rfc', async ({ deps, usuario }, nombre) => {
      const rfc = parseRfc(nombre);
      return rfc === null ? null : createContribuyentes(deps.database).find(usuario.cuentaId, rfc);
    });

  return { routesFor, routesOf, rfcRoutes };
}

/** Definers of pages that need the ports of every page alone. */
export const { routesFor, routesOf, rfcRoutes } = pagesWith<PageDeps>();

/** Declares an address of a page, whose path continues that of the page. */
type Declare<Args extends readonly unknown[]> = (
  path: '' | `/${string}`,
  handle: (...args: Args) => Answer,
  options?: { readonly maxBytes?: number; readonly cambia?: true },
) => void;

/** The addresses of one page. `Args`: what their handlers get. */
export interface PageRoutes<D extends PageDeps, Args extends readonly unknown[]> {
  readonly rutas: readonly Ruta<D>[];
  readonly get: Declare<Args>;
  readonly post: Declare<Args>;
}

function collect<D extends PageDeps, Args extends readonly unknown[]>(
  acceso: Acceso,
  base: string,
  adapt: (handle: (...args: Args) => Answer) => Ruta<D>['handle'],
): PageRoutes<D, Args> {
  const rutas: Ruta<D>[] = [];
  const declare =
    (metodo: Ruta['metodo']): Declare<Args> =>
    (path, handle, { cambia = metodo === 'POST', ...rest } = {}) => {
      const accion = cambia ? 'cambiar' : 'ver';
      rutas.push({ metodo, path: `${base}${path}`, acceso, accion, ...rest, handle: adapt(handle) });
    };
  return { rutas, get: declare('GET'), post: declare('POST') };
}

/**
 * A whole application under a path, with its own answers (a tool's pages). Reached only by those whom `acceso` lets in,
 * and with any method but GET and HEAD only from the panel's own pages. Its answers get the panel's headers; a
 * `Content-Security-Policy` or an `X-Frame-Options` that they bring stays.
 */
export interface Mount<D extends PageDeps = PageDeps> {
  /** Without a slash at the end, such as `/operador/colas/tablero`. */
  readonly path: string;
  readonly acceso: 'operador';
  /** The page of the panel that has it in a frame. */
  readonly pagina: string;
  /** Answers a request whose address is the whole one. */
  readonly fetch: (
    request: Request,
    contexto: { readonly deps: D; readonly activo: (nombre: string) => string },
  ) => Promise<Response> | Response;
}
