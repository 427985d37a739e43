import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { redirect } from '../portal/web/cookies.ts';
import { formOf } from '../portal/web/form-body.ts';
import { htmlResponse } from '../portal/web/html.ts';
import { isPartial, newViewState, partialExpired, partialUpdate } from '../sp/jsf.ts';
import type { ProviderSession } from '../sp/provider-session.ts';
import { createServiceProvider } from '../sp/service-provider.ts';
import type { World } from '../world/world.ts';
import {
  BUTTON,
  CONSULTA_TRAMITE,
  consultaTramitePage,
  errorMessage,
  FORM,
  GENERA_CONSTANCIA,
} from './consulta-tramite-page.ts';
import { writeConstanciaPdf } from './pdf/constancia-pdf.ts';

const NO_GENERADA =
  '<html><head><title>SAT</title></head><body><p>No hay una constancia generada en esta sesión.</p></body></html>';

/**
 * The application that reprints documents of the taxpayers' register and makes the constancia. Mounted at `/rfcampc`.
 */
export function createRfcampc(world: World, nidp: Nidp): Hono {
  const provider = createServiceProvider(
    { world, nidp },
    {
      servicio: 'rfcampc',
      cookie: 'RFCAMPCSESSION',
      acs: '/saml2/sp/acs/post',
      inicio: CONSULTA_TRAMITE,
    },
  );

  const show = (c: Context, session: ProviderSession) => {
    const viewState = newViewState();
    session.notes.set('viewState', viewState);
    const action = provider.url(c, CONSULTA_TRAMITE);
    return htmlResponse(consultaTramitePage({ rfc: session.rfc, action, viewState }));
  };

  const broker = (c: Context) =>
    provider.guard(c, { operation: 'SessionBroker', returnTo: CONSULTA_TRAMITE }, () =>
      redirect(provider.url(c, CONSULTA_TRAMITE)),
    );

  const consulta = (c: Context) => provider.guard(c, { operation: 'ConsultaTramite' }, (session) => show(c, session));

  const generar = async (c: Context) => {
    const form = await formOf(c);
    return provider.guard(c, { operation: 'GenerarConstancia' }, (session, fault) => {
      if (form['javax.faces.ViewState'] !== session.notes.get('viewState'))
        return isPartial(form) ? partialExpired(CONSULTA_TRAMITE) : show(c, session);
      if (!(BUTTON in form)) return isPartial(form) ? partialUpdate({}) : show(c, session);
      if (fault?.kind === 'code') {
        const mensaje = fault.mensaje ?? 'Por el momento no es posible generar la constancia.';
        return partialUpdate({ [`${FORM}:mensajes`]: errorMessage(mensaje) });
      }
      session.notes.set('generada', 'true');
      const script = `window.open('${GENERA_CONSTANCIA}')`;
      return isPartial(form)
        ? partialUpdate({ [`${FORM}:mensajes`]: '' }, script)
        : redirect(provider.url(c, GENERA_CONSTANCIA));
    });
  };

  const descargar = (c: Context) =>
    provider.guard(c, { operation: 'DescargarConstancia', returnTo: CONSULTA_TRAMITE }, async (session) => {
      if (!session.notes.has('generada')) return htmlResponse(NO_GENERADA);
      const pdf = await writeConstanciaPdf(session.rfc, world.taxpayers.profile(session.rfc), world.clock.now());
      return new Response(new Uint8Array(pdf), {
        headers: {
          'content-type': 'application/pdf',
          'content-disposition': 'inline; filename="SAT.pdf"',
          'content-length': String(pdf.length),
          'cache-control': 'no-cache, no-store',
        },
      });
    });

  return new Hono()
    .get('/app/seg/SessionBroker', broker)
    .post('/saml2/sp/acs/post', (c) => provider.consume(c))
    .get(CONSULTA_TRAMITE, consulta)
    .post(CONSULTA_TRAMITE, generar)
    .get(GENERA_CONSTANCIA, descargar);
}
