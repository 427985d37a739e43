import { type Context, Hono } from 'hono';
import type { World } from '../world/world.ts';
import {
  currentPortalSession,
  type PortalSession,
  startPortalSession,
  withoutSessionCookies,
  withSessionCookies,
} from './portal-session.ts';
import type { PortalState } from './portal-state.ts';
import { addressesOf } from './web/addresses.ts';
import { attend } from './web/attend.ts';
import { redirect } from './web/cookies.ts';
import { formOf } from './web/form-body.ts';
import { withPortalSession } from './web/guard.ts';
import { encode, htmlResponse } from './web/html.ts';
import { masterPage } from './web/master-page.ts';
import { writeViewState } from './web/view-state.ts';

type Deps = { world: World; state: PortalState };

const PAGINA = 'Consulta.aspx';
/** Mounting drops the slash of `/`, so the root with its slash is written as a segment that is empty. */
const ROOT = ['/', '/:vacio{^$}', `/${PAGINA}`];
const LINKS = `        <a href='ConsultaEmisor.aspx'>Consultar Facturas Emitidas</a>
        <a href='ConsultaReceptor.aspx'>Consultar Facturas Recibidas</a>
        <a href='ConsultaDescargaMasiva.aspx'>Recuperar Descargas de CFDI</a>`;

/** The portal's first page, the place where the assertion of the log-in host is handed over, and the way out. */
export function createHome({ world, state }: Deps): Hono {
  const deps = { world, state };
  const show = (session: PortalSession) =>
    htmlResponse(
      masterPage({
        rfc: session.rfc,
        pagina: PAGINA,
        titulo: 'Servicios de Factura Electrónica',
        csrf: session.csrf,
        viewState: writeViewState(state.seal, session, PAGINA, 'folio'),
        generator: 'CA0B0334',
        contenido: LINKS,
      }),
    );
  const home = (c: Context) => withPortalSession(deps, c, { operation: 'Inicio' }, show);

  const signIn = async (c: Context) => {
    const form = await formOf(c);
    if (form['wa'] !== 'wsignin1.0') return home(c);
    const rfc = state.assertions.accept(form['wresult'] ?? '', addressesOf(c).portalcfdi)?.rfc ?? null;
    return attend(world, { service: 'portalcfdi', operation: 'RecibirToken', rfc: rfc ?? '' }, () => {
      if (rfc === null)
        return htmlResponse('<html><body><h1>Server Error</h1><p>ID4243</p></body></html>', 500);
      const location = addressesOf(c).portalcfdi + returnPath(form['wctx'] ?? '');
      return withSessionCookies(redirect(location), startPortalSession(state.portalSessions, rfc));
    });
  };

  const logOut = (c: Context) => {
    const session = currentPortalSession(c, state.portalSessions);
    return attend(world, { service: 'portalcfdi', operation: 'Salir', rfc: session?.rfc ?? '' }, () => {
      if (session) state.portalSessions.end(session.id);
      const next = encode(`${addressesOf(c).cfdiau}/nidp/app/logout`);
      const page = `<html><head><title>SAT</title><meta http-equiv="refresh" content="0;url=${next}"></head><body>Cerrando sesión...</body></html>`;
      return withoutSessionCookies(htmlResponse(page));
    });
  };

  return new Hono().on('GET', ROOT, home).on('POST', ROOT, signIn).get('/logout.aspx', logOut);
}

/** The path to go on to, `ru` of the context; only a path of the portal itself. */
function returnPath(wctx: string): string {
  const path = new URLSearchParams(wctx).get('ru') ?? '/';
  return /^\/(?!\/)[\w./?=&-]*$/.test(path) ? path : '/';
}
