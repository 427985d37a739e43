import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { createServiceProvider } from '../web/host.ts';
import { htmlResponse, originOf, redirect } from '../web/http.ts';
import { escapeXml } from '../world/texts.ts';
import type { World } from '../world/world.ts';

const CONSTANCIA =
  '/rfcampc/app/seg/SessionBroker?url=/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf&parametro=c&idSessionBit=&idSessionBit=null';
const COMUNICADOS = '/aplicacionesc/WebComunicados/Comunicados.aspx';
const NOTIFICACIONES =
  '/agr/app/seg/SessionBroker?url=/PTSC/notificacionElectronica/faces/Pages/principalNotificaciones.jsf&parametro=c&idSessionBit=null';

/**
 * The SAT's site (wwwmat): the launcher that leads through the log-in to an application, and the pages that hold the
 * applications of other hosts in a frame. Mounted at `/wwwmat`.
 */
export function createWwwmat(world: World, nidp: Nidp): Hono {
  const provider = createServiceProvider(
    { world, nidp },
    { servicio: 'wwwmat', cookie: 'MATSESSION', acs: '/app/seg/consume', inicio: '/buzon' },
  );
  const origin = (c: Context) => originOf(c);

  /** `tipoLogeo` f, and the gate accesoF, ask for the e.firma first. */
  const launch = (c: Context, operation: string, metodo: 'ciec' | 'efirma') => {
    const target = sitePath(c.req.query('url') ?? '');
    return provider.guard(c, { operation, metodo, returnTo: target }, () => redirect(provider.url(c, target)));
  };
  const frame = (operation: string, titulo: string, src: string) => (c: Context) =>
    provider.guard(c, { operation }, () => htmlResponse(framePage(titulo, origin(c) + src)));

  const app = new Hono()
    .get('/app/seg/faces/pages/lanzador.jsf', (c) =>
      launch(c, 'Lanzador', c.req.query('tipoLogeo') === 'f' ? 'efirma' : 'ciec'),
    )
    .get('/app/seg/cont/accesoC', (c) => launch(c, 'Acceso', 'ciec'))
    .get('/app/seg/cont/accesoF', (c) => launch(c, 'Acceso', 'efirma'))
    .post('/app/seg/consume', (c) => provider.consume(c))
    .get('/operacion/53027/:nombre?', frame('Constancia', 'Genera tu Constancia de Situación Fiscal', CONSTANCIA))
    .get('/buzon', (c) =>
      provider.guard(c, { operation: 'Buzon' }, ({ rfc }) =>
        htmlResponse(
          buzonPage(rfc, [
            { texto: 'Mis comunicados', href: provider.url(c, '/iniciar-expediente/mis-comunicados/') },
            { texto: 'Mis notificaciones', href: provider.url(c, '/iniciar-expediente/mis-notificaciones') },
          ]),
        ),
      ),
    );
  for (const slash of ['', '/']) {
    const part = (name: string) => `/iniciar-expediente/${name}${slash}`;
    app.get(part('mis-comunicados'), frame('Comunicados', 'Mis comunicados', COMUNICADOS));
    app.get(part('mis-notificaciones'), frame('Notificaciones', 'Mis notificaciones', NOTIFICACIONES));
  }
  return app.get('/cs/Satellite', (c) => provider.logOut(c)).get('/app/seg/cerrarSesion', (c) => provider.logOut(c));
}

/** The page that a launcher is asked for; only one of the site itself. */
function sitePath(url: string): string {
  return /^\/(?:operacion|buzon|iniciar-expediente)(?:\/[\w./-]*)?$/.test(url) ? url : '/buzon';
}

/** A page of the site with one application in its frame. Clients look for the frame's id (phpcfdi/csf-sat-scraper). */
function framePage(titulo: string, src: string): string {
  return sitePage(
    titulo,
    `<nav class="migas"><a href="/">Inicio</a> &gt; ${titulo}</nav>
<main>
  <iframe id="iframetoload" class="child-div" src="${escapeXml(src)}" width="100%" height="800"></iframe>
</main>`,
  );
}

function buzonPage(rfc: string, links: readonly { texto: string; href: string }[]): string {
  const items = links.map(({ texto, href }) => `    <li><a href="${escapeXml(href)}">${texto}</a></li>`);
  return sitePage(
    'Buzón Tributario',
    `<p class="contribuyente">${escapeXml(rfc)}</p>
<h1>Mis expedientes</h1>
<ul>
${items.join('\n')}
</ul>`,
  );
}

function sitePage(titulo: string, contenido: string): string {
  return `<!DOCTYPE html>
<html lang="es">
<head><meta charset="UTF-8"><title>${titulo} - SAT</title></head>
<body>
${contenido}
</body>
</html>
`;
}
