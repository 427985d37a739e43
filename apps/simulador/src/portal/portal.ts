import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { createProdretencioncontribuyente } from '../prodretencioncontribuyente/prodretencioncontribuyente.ts';
import type { ProviderSession } from '../web/host.ts';
import { encode, htmlResponse, originOf, putSettings } from '../web/http.ts';
import type { World } from '../world/world.ts';
import { createConsulta } from './consulta/consulta.ts';
import { EMISOR, RECEPTOR } from './consulta/search-page.ts';
import { createDescargaMasiva, createDescargaMetadatos } from './descargas.ts';
import { ROOT } from './guard.ts';
import { masterPage, writeViewState } from './page.ts';
import { createPortalState, type PortalState, portalSettingsSchema } from './portal-state.ts';
import { createRecuperaCfdi } from './recupera-cfdi.ts';

/**
 * The CFDI portal: the log-in host, to be mounted at `/cfdiau`, and the query host, to be mounted at `/portalcfdi`;
 * with them the portal of retenciones, which has the same log-in host. `/cfdiau/simulador` is the control of both
 * (captcha answers, settings, open sessions). `acceso` is what other log-in hosts share.
 */
export function createPortal(world: World) {
  const state = createPortalState(world);
  const deps = { world, state };
  const portalcfdi = new Hono();
  for (const part of [createHome(deps), createDescargaMasiva(deps), createRecuperaCfdi(deps)])
    portalcfdi.route('/', part);
  for (const page of [RECEPTOR, EMISOR]) {
    portalcfdi.route('/', createConsulta(deps, page)).route('/', createDescargaMetadatos(deps, page));
  }
  return {
    cfdiau: new Hono().route('/simulador', createPortalControl(state)).route('/', state.cfdiau.app),
    portalcfdi,
    prodretencioncontribuyente: createProdretencioncontribuyente(deps),
    acceso: state.acceso,
  };
}

type Deps = { world: World; state: PortalState };

const PAGINA = 'Consulta.aspx';
const HOME = [...ROOT, `/${PAGINA}`];
const LINKS = `        <a href='ConsultaEmisor.aspx'>Consultar Facturas Emitidas</a>
        <a href='ConsultaReceptor.aspx'>Consultar Facturas Recibidas</a>
        <a href='ConsultaDescargaMasiva.aspx'>Recuperar Descargas de CFDI</a>`;

/** The portal's first page, the place where the assertion of the log-in host is handed over, and the way out. */
function createHome({ state: { host, seal } }: Deps): Hono {
  const show = (session: ProviderSession) =>
    htmlResponse(
      masterPage({
        session,
        pagina: PAGINA,
        titulo: 'Servicios de Factura Electrónica',
        viewState: writeViewState(seal, session, PAGINA, 'folio'),
        generator: 'CA0B0334',
        contenido: LINKS,
      }),
    );
  const home = (c: Context) => host.guard(c, { operation: 'Inicio' }, show);
  const logOut = (c: Context) => {
    const next = encode(`${originOf(c)}/cfdiau/nidp/app/logout`);
    const page = `<html><head><title>SAT</title><meta http-equiv="refresh" content="0;url=${next}"></head><body>Cerrando sesión...</body></html>`;
    return host.logOut(c, htmlResponse(page));
  };
  return new Hono().on('GET', HOME, home).on('POST', HOME, host.signIn(home)).get('/logout.aspx', logOut);
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
      const respuesta = state.acceso.captchas.solve(Buffer.from(base64, 'base64'));
      return respuesta === null
        ? c.json({ error: 'Esa imagen no salió de este simulador o ya se olvidó; pida otra página.' }, 404)
        : c.json({ respuesta });
    })
    .get('/ajustes', (c) => c.json(state.settings))
    .put('/ajustes', (c) => putSettings(c, portalSettingsSchema, state.settings))
    .get('/sesiones', (c) => c.json({ cfdiau: state.cfdiau.countSessions(), portalcfdi: state.host.countSessions() }));
}
