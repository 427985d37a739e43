import { type Context, Hono } from 'hono';
import { receiveToken } from '../sp/relying-party.ts';
import type { World } from '../world/world.ts';
import {
  currentPortalSession,
  type PortalSession,
  startPortalSession,
  withoutSessionCookies,
  withSessionCookies,
} from './portal-session.ts';
import type { PortalState } from './portal-state.ts';
import { addressesOf, ROOT } from './web/addresses.ts';
import { attend } from './web/attend.ts';
import { redirect } from './web/cookies.ts';
import { formOf } from './web/form-body.ts';
import { withPortalSession } from './web/guard.ts';
import { encode, htmlResponse } from './web/html.ts';
import { masterPage } from './web/master-page.ts';
import { writeViewState } from './web/view-state.ts';

type Deps = { world: World; state: PortalState };

const PAGINA = 'Consulta.aspx';
const HOME = [...ROOT, `/${PAGINA}`];
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
    const { portalcfdi } = addressesOf(c);
    return receiveToken(world, {
      servicio: 'portalcfdi',
      identity: state.assertions.accept(form['wresult'] ?? '', portalcfdi),
      wctx: form['wctx'],
      enter: ({ rfc }, path) =>
        withSessionCookies(redirect(portalcfdi + path), startPortalSession(state.portalSessions, rfc)),
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

  return new Hono().on('GET', HOME, home).on('POST', HOME, signIn).get('/logout.aspx', logOut);
}
