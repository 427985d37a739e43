import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { redirect } from '../portal/web/cookies.ts';
import { formOf } from '../portal/web/form-body.ts';
import { htmlResponse } from '../portal/web/html.ts';
import { escapeMarkup, newViewState } from '../sp/jsf.ts';
import type { ProviderSession } from '../sp/provider-session.ts';
import { createServiceProvider } from '../sp/service-provider.ts';
import { isBuzonVacioFalso } from '../world/asked.ts';
import type { World } from '../world/world.ts';
import type { Aperturas } from './aperturas.ts';
import { notificacionesDe } from './notificaciones.ts';
import { AVISO, DOCUMENTO, NOTIFICACIONES, notificacionesPage, openedFolio } from './notificaciones-page.ts';

/**
 * The application of electronic notifications. Opening an act is recorded for good in `aperturas`. Mounted at `/agr`.
 */
export function createAgr(world: World, nidp: Nidp, aperturas: Aperturas): Hono {
  const provider = createServiceProvider(
    { world, nidp },
    {
      servicio: 'agr',
      cookie: 'AGRSESSION',
      acs: '/cloudc/saml2/sp/acs/post',
      inicio: NOTIFICACIONES,
    },
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

  const open = ({ rfc }: ProviderSession, folio: string) => {
    const pending = notificacionesDe(world, rfc, aperturas).find((some) => some.folio === folio);
    if (!pending) return htmlResponse(message(`No existe un acto pendiente con folio ${folio}.`), 404);
    const at = world.clock.now();
    aperturas.abrirNotificacion(rfc, folio, at);
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
    .get('/app/seg/SessionBroker', (c) =>
      provider.guard(c, { operation: 'SessionBroker', returnTo: NOTIFICACIONES }, () =>
        redirect(provider.url(c, NOTIFICACIONES)),
      ),
    )
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
  return `<html><head><title>Mis notificaciones</title></head><body><p>${escapeMarkup(text)}</p></body></html>`;
}
