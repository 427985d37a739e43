import type { Assets } from '@acuse/runtime';
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import { Aviso, Vacio } from '../components/blocks.tsx';
import { Layout } from '../components/layout.tsx';
import { type MenusPanel, PartesOperacion } from '../components/navegacion.tsx';
import type { PageDeps } from '../deps.ts';
import { EMPTY_FORM, type Formulario } from './campos.ts';
import type { Acceso, ContextoBase, Mensaje, Pagina, Persona, PersonContext } from './ruta.ts';
import type { Browser } from './session.ts';

/** What the shell knows of one request before its page runs. */
export interface Peticion<D extends PageDeps = PageDeps> {
  readonly c: Context;
  readonly deps: D;
  readonly menus: MenusPanel;
  readonly badgesOf: ContextoBase['badges'];
  readonly activos: Assets;
  readonly nonce: string;
  readonly ip: string;
  readonly browser: Browser;
  /** Who is logged in; null also between the two steps of a log-in. */
  readonly usuario: Persona | null;
  /** Told when the message of the page before has been shown. */
  readonly onAviso: () => void;
}

/** The object that pages work with. Without `usuario` for those who are not logged in: public pages' type hides it. */
export function createContexto<D extends PageDeps>(
  peticion: Peticion<D>,
  acceso: Acceso,
  formulario: Formulario = EMPTY_FORM,
): ContextoBase<D> | PersonContext<D> {
  const { c, deps, nonce, ip, browser, usuario } = peticion;
  return {
    c,
    deps,
    nonce,
    ip,
    browser,
    now: deps.now(),
    badges: peticion.badgesOf,
    campos: formulario.campos,
    archivos: formulario.archivos,
    ...(usuario ? { usuario, autor: { actor: `usuario:${usuario.id}`, ip } } : {}),
    pagina: (titulo, contenido, options) =>
      render(peticion, titulo, contenido, {
        ...(acceso === 'operador' && { partes: <PartesOperacion ruta={c.req.path} /> }),
        ...options,
      }),
    noEncontrada: () => renderNoEncontrada(peticion),
    redirectTo: (path, aviso) => redirect(peticion, path, aviso),
  };
}

/** The page for an unknown address. */
export function renderNoEncontrada(peticion: Peticion): Response {
  const contenido = (
    <Vacio titulo="No existe, o no es de su cuenta" accion={{ href: '/', texto: 'Ir al inicio' }}>
      Revise que la dirección esté completa, o llegue desde el menú.
    </Vacio>
  );
  return render(peticion, 'Página no encontrada', contenido, { status: 404, h1: 'No encontramos esta página' });
}

/** A page that says why the request was not carried out. */
export function renderRechazo(
  peticion: Peticion,
  rechazo: { readonly status: number; readonly titulo: string; readonly texto: string },
): Response {
  const contenido = (
    <>
      <p>{rechazo.texto}</p>
      <p>
        <a href="/">Ir al inicio</a>
      </p>
    </>
  );
  return render(peticion, rechazo.titulo, contenido, { status: rechazo.status });
}

/** What a frame of `pagina` shows once the session is over. The page to log in stands in none: the link leaves. */
export function renderSesionTerminada({ activos, nonce }: Peticion, pagina: string): Response {
  const html = (
    <html lang="es-MX">
      <head>
        <meta charset="utf-8" />
        <title>Su sesión terminó · Acuse</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {['marca.css', 'estilo.css'].map((name) => (
          <link rel="stylesheet" href={activos.href(name)} nonce={nonce} />
        ))}
      </head>
      <body>
        <main class="contenido" aria-label="Sesión">
          <h1>Su sesión terminó</h1>
          <p>
            <a href={`/entrar?a=${encodeURIComponent(pagina)}`} target="_top">
              Entre de nuevo
            </a>{' '}
            para seguir.
          </p>
        </main>
      </body>
    </html>
  );
  return new Response(`<!DOCTYPE html>${html}`, {
    status: 403,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
      'X-Frame-Options': 'SAMEORIGIN',
    },
  });
}

function render(
  { c, deps, menus, activos, nonce, browser, usuario, onAviso }: Peticion,
  titulo: string,
  contenido: Child,
  options: Omit<Pagina, 'status'> & { readonly status?: number } = {},
): Response {
  const { status = 200, scripts = [], esperar, h1 = titulo, camino, accion, partes, error, narrow } = options;
  const aviso = browser.aviso ?? undefined;
  if (aviso) onAviso();
  const heading = h1 === null ? null : <h1>{h1}</h1>;
  const page = (
    <>
      {camino}
      {accion ? (
        <div class="titular">
          {heading}
          {accion}
        </div>
      ) : (
        heading
      )}
      {partes}
      {error === undefined ? null : <Aviso tono="error">{error}</Aviso>}
      {contenido}
    </>
  );
  const html = (
    <Layout
      titulo={titulo}
      usuario={usuario}
      menus={menus}
      ruta={c.req.path}
      csrf={browser.csrf()}
      nonce={nonce}
      aviso={aviso}
      activo={activos.href}
      scripts={scripts}
      version={deps.settings.version}
      apiUrl={deps.settings.apiPublicUrl}
    >
      {narrow ? <div class="angosta">{page}</div> : page}
    </Layout>
  ).toString();
  if (typeof html !== 'string') throw new TypeError('a page waits while it is rendered: read what it shows before');
  const answer = new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } });
  if (esperar !== undefined) answer.headers.set('Retry-After', String(esperar));
  return answer;
}

async function redirect({ browser }: Peticion, path: string, aviso?: Mensaje): Promise<Response> {
  if (aviso) await browser.leave(aviso);
  return new Response(null, { status: 303, headers: { Location: localPath(path) ?? '/' } });
}

/** A path of the panel, or null for what could lead elsewhere (`//host`, `/\host`, an address, control characters). */
export function localPath(path: string | undefined): string | null {
  if (path === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || path.includes('\\')) return null;
  return path;
}
