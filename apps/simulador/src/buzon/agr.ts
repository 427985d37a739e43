import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { createServiceProvider, type ProviderSession } from '../web/host.ts';
import { formOf, htmlResponse, redirect } from '../web/http.ts';
import { newViewState, viewStateInput } from '../web/jsf.ts';
import { isBuzonVacioFalso } from '../world/asked.ts';
import { dayFirst, escapeXml } from '../world/texts.ts';
import { formatWallTime, type WallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { type Aperturas, llegadas } from './llegadas.ts';

/**
 * The application of electronic notifications. Opening an act is recorded for good in `aperturas`. Mounted at `/agr`.
 */
export function createAgr(world: World, nidp: Nidp, aperturas: Aperturas): Hono {
  const provider = createServiceProvider(
    { world, nidp },
    { servicio: 'agr', cookie: 'AGRSESSION', acs: '/cloudc/saml2/sp/acs/post', inicio: NOTIFICACIONES },
  );

  const show = (c: Context, session: ProviderSession) => {
    const { rfc, notes } = session;
    const viewState = newViewState();
    notes.set('viewState', viewState);
    const notificaciones = isBuzonVacioFalso(world, session, 'agr') ? [] : notificacionesDe(world, rfc, aperturas);
    return htmlResponse(
      notificacionesPage({ rfc, notificaciones, action: provider.url(c, NOTIFICACIONES), viewState }),
    );
  };

  const launch = (c: Context, operation: string) =>
    provider.guard(c, { operation, returnTo: NOTIFICACIONES }, () => redirect(provider.url(c, NOTIFICACIONES)));

  const open = ({ rfc }: ProviderSession, folio: string) => {
    const pending = notificacionesDe(world, rfc, aperturas).find((some) => some.folio === folio);
    if (!pending) return htmlResponse(message(`No existe un acto pendiente con folio ${folio}.`), 404);
    const at = world.clock.now();
    aperturas.openNotificacion(rfc, folio, at);
    world.log.add({ service: 'agr', operation: 'AbrirNotificacion', rfc, at, detail: { folio } });
    return htmlResponse(message(`Acto administrativo ${folio}: usted ha quedado notificado.`));
  };

  const post = async (c: Context) => {
    const form = await formOf(c);
    return provider.guard(c, { operation: 'PostNotificaciones' }, (session) => {
      if (form['javax.faces.ViewState'] !== session.notes.get('viewState')) return show(c, session);
      const folio = openedFolio(form, notificacionesDe(world, session.rfc, aperturas));
      return folio === null ? show(c, session) : open(session, folio);
    });
  };

  return new Hono()
    .get('/app/seg/SessionBroker', (c) => launch(c, 'SessionBroker'))
    .get('/app/seg/cont/accesoC', (c) => launch(c, 'Acceso'))
    .post('/cloudc/saml2/sp/acs/post', (c) => provider.consume(c))
    .post('/cloudc/saml2slo/endpoint', (c) => provider.logOut(c))
    .get(NOTIFICACIONES, (c) => provider.guard(c, { operation: 'Notificaciones' }, (session) => show(c, session)))
    .post(NOTIFICACIONES, post)
    .get(AVISO, (c) =>
      provider.guard(c, { operation: 'Aviso' }, () =>
        htmlResponse(message(`Aviso de notificación ${c.req.query('folio') ?? ''}.`)),
      ),
    )
    .get(DOCUMENTO, (c) =>
      provider.guard(c, { operation: 'Documento' }, (session) => open(session, c.req.query('folio') ?? '')),
    );
}

function message(text: string): string {
  return `<html><head><title>Mis notificaciones</title></head><body><p>${escapeXml(text)}</p></body></html>`;
}

const PAGES = '/PTSC/notificacionElectronica/faces/Pages';
const NOTIFICACIONES = `${PAGES}/principalNotificaciones.jsf`;
/** Opens the act of `?folio=`. */
const DOCUMENTO = `${PAGES}/documentoNotificacion.jsf`;
/** Shows the notice of `?folio=`, which has no legal effect. */
const AVISO = `${PAGES}/avisoNotificacion.jsf`;
const FORM = 'formNotificaciones';
const TABLE = `${FORM}:tablaPendientes`;

const COLUMNAS = [
  'Folio del acto administrativo',
  'Autoridad emisora',
  'Acto administrativo',
  'Fecha de aviso',
  'Aviso',
  'Documento',
];

type NotificacionesPage = {
  rfc: string;
  notificaciones: readonly Notificacion[];
  /** Absolute address that the form is sent to. */
  action: string;
  viewState: string;
};

/**
 * The page of the notifications that wait (columns, total and the text of an empty table: public automations of the
 * mailbox; "Destinatario:" luffynando/sat-scrapers-auth). Every other row opens its act by a plain link, the rest by a
 * postback.
 */
function notificacionesPage({ rfc, notificaciones, action, viewState }: NotificacionesPage): string {
  const filter = (etiqueta: string, name: string, options: readonly string[]) =>
    `<label for="${FORM}:${name}">${etiqueta}</label><select id="${FORM}:${name}" name="${FORM}:${name}"><option value="0" selected="selected">Seleccione</option>${[...new Set(options)].map((option, i) => `<option value="${i + 1}">${escapeXml(option)}</option>`).join('')}</select>`;
  return `<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml">
<head><title>Mis notificaciones</title></head>
<body>
<h1>Mis notificaciones</h1>
<p>Destinatario: ${escapeXml(rfc)}</p>
<p>Total de notificaciones pendientes: ${notificaciones.length}</p>
<form id="${FORM}" name="${FORM}" method="post" action="${escapeXml(action)}" enctype="application/x-www-form-urlencoded">
<input type="hidden" name="${FORM}" value="${FORM}" />
${filter(
  'Autoridad emisora',
  'autoridad',
  notificaciones.map(({ autoridad }) => autoridad),
)}
${filter(
  'Acto administrativo',
  'acto',
  notificaciones.map(({ acto }) => acto),
)}
<table id="${TABLE}" role="grid"><caption>Pendientes</caption><thead><tr>${COLUMNAS.map((titulo) => `<th role="columnheader">${titulo}</th>`).join('')}</tr></thead><tbody id="${TABLE}_data">${tableRows(notificaciones)}</tbody></table>
${viewStateInput(viewState)}
</form>
</body>
</html>
`;
}

/** The folio of the row whose document a posted form opens; null when it opens none. */
function openedFolio(form: Readonly<Record<string, string>>, shown: readonly Notificacion[]): string | null {
  for (const [i, { folio }] of shown.entries()) if (`${TABLE}:${i}:documento` in form) return folio;
  return null;
}

function tableRows(notificaciones: readonly Notificacion[]): string {
  if (notificaciones.length === 0) return `<tr><td colspan="${COLUMNAS.length}">No se encontraron resultados</td></tr>`;
  return notificaciones
    .map((notificacion, i) => {
      const { folio, autoridad, acto, aviso: cuando } = notificacion;
      const aviso = `<a href="avisoNotificacion.jsf?folio=${encodeURIComponent(folio)}">Ver aviso</a>`;
      const texts = [folio, autoridad, acto, dayFirst(formatWallTime(cuando))].map(escapeXml);
      const cells = [...texts, aviso, documentLink(notificacion, i)];
      return `<tr data-ri="${i}" role="row">${cells.map((cell) => `<td role="gridcell">${cell}</td>`).join('')}</tr>`;
    })
    .join('');
}

function documentLink({ folio }: Notificacion, i: number): string {
  const text = 'Ver / Acto administrativo';
  if (i % 2 === 0) return `<a href="documentoNotificacion.jsf?folio=${encodeURIComponent(folio)}">${text}</a>`;
  const id = `${TABLE}:${i}:documento`;
  return `<a id="${id}" href="#" onclick="mojarra.jsfcljs(document.getElementById('${FORM}'),{'${id}':'${id}'},'');return false">${text}</a>`;
}

/** An administrative act that waits to be opened. */
type Notificacion = { folio: string; autoridad: string; acto: string; aviso: WallTime };

const AUTORIDADES = [
  'Administración Desconcentrada de Recaudación de Querétaro "1"',
  'Administración Desconcentrada de Auditoría Fiscal de Nuevo León "2"',
  'Administración General de Recaudación & Servicios al Contribuyente',
  'SERVICIO DE ADMINISTRACIÓN TRIBUTARIA, SUBADMINISTRACIÓN <ÑUU SAVI>',
];
const ACTOS = [
  'Requerimiento de obligaciones omitidas',
  'Resolución determinante de crédito fiscal',
  'Oficio "de observaciones" artículo 48 <fracción IV>',
  'Solicitud de información y documentación respecto de las devoluciones del AÑO 2025 & complementarias '
    .repeat(3)
    .trim(),
];

/** The notifications that wait, newest notice first: at most four, of the last two months; none for some taxpayers. */
export function notificacionesDe(world: World, rfc: string, aperturas: Aperturas): Notificacion[] {
  const opened = new Set(aperturas.notificaciones(rfc).map(({ folio }) => folio));
  return llegadas(world, rfc, { clase: 'notificaciones', maximo: 3, diasIntervalo: 20, dias: 60 })
    .map(({ n, cuando, chance }) => ({
      folio: `500-${String(10 + chance(1, 60))}-${formatWallTime(cuando).slice(0, 4)}-${10_000 + (n % 10_000)}`,
      autoridad: AUTORIDADES[chance(2, AUTORIDADES.length)] ?? '',
      acto: ACTOS[chance(3, ACTOS.length)] ?? '',
      aviso: cuando,
    }))
    .filter(({ folio }) => !opened.has(folio));
}
