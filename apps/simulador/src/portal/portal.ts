import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Acceso } from '../nidp/login-desk.ts';
import { createProdretencioncontribuyente } from '../prodretencioncontribuyente/prodretencioncontribuyente.ts';
import { receiveToken } from '../web/host.ts';
import { attend, encode, formOf, htmlResponse, putAjustes, redirect } from '../web/http.ts';
import type { World } from '../world/world.ts';
import { createCfdiau } from './cfdiau.ts';
import { createConsulta } from './consulta/consulta.ts';
import { EMISOR, RECEPTOR } from './consulta/search-page.ts';
import { createDescargaMasiva, createDescargaMetadatos } from './descargas.ts';
import { addressesOf, ROOT, withPortalSession } from './guard.ts';
import { masterPage, writeViewState } from './page.ts';
import {
  createPortalState,
  currentPortalSession,
  type PortalSession,
  type PortalState,
  portalSettingsSchema,
  startPortalSession,
  withoutSessionCookies,
  withSessionCookies,
} from './portal-state.ts';

/**
 * The CFDI portal: the log-in host, to be mounted at `/cfdiau`, and the query host, to be mounted at `/portalcfdi`;
 * with them the portal of retenciones, which has the same log-in host. `/cfdiau/simulador` is the control of both
 * (captcha answers, settings, open sessions). `acceso` is what other log-in hosts share.
 */
export function createPortal(world: World) {
  const state = createPortalState(world);
  const deps = { world, state };
  const portalcfdi = new Hono().route('/', createHome(deps)).route('/', createDescargaMasiva(deps));
  for (const page of [RECEPTOR, EMISOR]) {
    portalcfdi.route('/', createConsulta(deps, page)).route('/', createDescargaMetadatos(deps, page));
  }
  return {
    cfdiau: new Hono().route('/simulador', createPortalControl(state)).route('/', createCfdiau(world, state)),
    portalcfdi,
    prodretencioncontribuyente: createProdretencioncontribuyente(deps),
    acceso: state satisfies Acceso,
  };
}

type Deps = { world: World; state: PortalState };

const PAGINA = 'Consulta.aspx';
const HOME = [...ROOT, `/${PAGINA}`];
const LINKS = `        <a href='ConsultaEmisor.aspx'>Consultar Facturas Emitidas</a>
        <a href='ConsultaReceptor.aspx'>Consultar Facturas Recibidas</a>
        <a href='ConsultaDescargaMasiva.aspx'>Recuperar Descargas de CFDI</a>`;

/** The portal's first page, the place where the assertion of the log-in host is handed over, and the way out. */
function createHome({ world, state }: Deps): Hono {
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
      identity: state.assertions.take(form['wresult'] ?? '', portalcfdi),
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

const captchaBody = z.object({ imagen: z.string().min(1) });

/**
 * What tests and the development resolver may ask for beside the SAT's own pages: the answer to a captcha that was
 * shown, the portal's settings, and how many sessions are open.
 */
function createPortalControl(state: PortalState): Hono {
  return new Hono()
    .post('/captcha', async (c) => {
      const body = captchaBody.safeParse(await c.req.json().catch(() => null));
      if (!body.success) return c.json({ error: 'Falta "imagen": la imagen del captcha en base64.' }, 400);
      const base64 = body.data.imagen.replace(/^data:[^,]*,/, '');
      const respuesta = state.captchas.solve(Buffer.from(base64, 'base64'));
      return respuesta === null
        ? c.json({ error: 'Esa imagen no salió de este simulador o ya se olvidó; pida otra página.' }, 404)
        : c.json({ respuesta });
    })
    .get('/ajustes', (c) => c.json(state.settings))
    .put('/ajustes', (c) => putAjustes(c, portalSettingsSchema, state.settings))
    .get('/sesiones', (c) => c.json({ cfdiau: state.idpSessions.count(), portalcfdi: state.portalSessions.count() }));
}
