import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { createServiceProvider, type ProviderSession } from '../web/host.ts';
import { formOf, htmlResponse, pdfResponse, redirect } from '../web/http.ts';
import { isPartial, newViewState, partialExpired, partialUpdate, viewStateInput } from '../web/jsf.ts';
import { escapeXml } from '../world/texts.ts';
import type { World } from '../world/world.ts';
import { writeConstanciaPdf } from './constancia-pdf.ts';

const NO_GENERADA =
  '<html><head><title>SAT</title></head><body><p>No hay una constancia generada en esta sesión.</p></body></html>';

/**
 * The application that reprints documents of the taxpayers' register and makes the constancia. Mounted at `/rfcampc`.
 */
export function createRfcampc(world: World, nidp: Nidp): Hono {
  const provider = createServiceProvider(
    { world, nidp },
    { servicio: 'rfcampc', cookie: 'RFCAMPCSESSION', acs: '/saml2/sp/acs/post', inicio: CONSULTA_TRAMITE },
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

  const generate = async (c: Context) => {
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
      return pdfResponse(pdf, {
        'content-disposition': 'inline; filename="SAT.pdf"',
        'content-length': String(pdf.length),
        'cache-control': 'no-cache, no-store',
      });
    });

  return new Hono()
    .get('/app/seg/SessionBroker', broker)
    .post('/saml2/sp/acs/post', (c) => provider.consume(c))
    .get(CONSULTA_TRAMITE, consulta)
    .post(CONSULTA_TRAMITE, generate)
    .get(GENERA_CONSTANCIA, descargar);
}

const CONSULTA_TRAMITE = '/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf';
const GENERA_CONSTANCIA = '/PTSC/IdcSiat/IdcGeneraConstancia.jsf';
/** The form and the button "Generar Constancia" (phpcfdi/csf-sat-scraper, SAT-CFDI/python-satcfdi). */
const FORM = 'formReimpAcuse';
const BUTTON = `${FORM}:j_idt50`;

type ConsultaTramitePage = {
  rfc: string;
  /** Absolute address that the form is sent to. */
  action: string;
  viewState: string;
};

function consultaTramitePage({ rfc, action, viewState }: ConsultaTramitePage): string {
  const filter = (etiqueta: string, name: string) =>
    `<label for="${FORM}:${name}">${etiqueta}</label><input id="${FORM}:${name}" name="${FORM}:${name}" type="text" value="" />`;
  return `<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml">
<head><title>Reimpresión de Acuses</title></head>
<body>
<h3>Reimpresión de Acuses</h3>
<form id="${FORM}" name="${FORM}" method="post" action="${escapeXml(action)}" enctype="application/x-www-form-urlencoded">
<input type="hidden" name="${FORM}" value="${FORM}" />
<div id="${FORM}:mensajes" class="ui-messages ui-widget" aria-live="polite"></div>
<div><span>RFC:</span> <span id="${FORM}:rfc">${escapeXml(rfc)}</span></div>
<select id="${FORM}:tipoTramite_input" name="${FORM}:tipoTramite_input"><option value="0" selected="selected">Seleccione</option><option value="1">Constancia de Situación Fiscal</option></select>
<input id="${FORM}:tipoTramite_focus" name="${FORM}:tipoTramite_focus" type="text" value="" />
${filter('Fecha inicio:', 'fechaInicio_input')}
${filter('Fecha fin:', 'fechaFin_input')}
${filter('Folio:', 'folio')}
<button id="${FORM}:j_idt49" name="${FORM}:j_idt49" class="ui-button" type="submit"><span class="ui-button-text">Buscar</span></button>
<button id="${BUTTON}" name="${BUTTON}" class="ui-button" type="submit" onclick="PrimeFaces.ab({source:'${BUTTON}'});return false;"><span class="ui-button-text">Generar Constancia</span></button>
${viewStateInput(viewState)}
</form>
</body>
</html>
`;
}

function errorMessage(mensaje: string): string {
  return `<div id="${FORM}:mensajes" class="ui-messages ui-widget" aria-live="polite"><div class="ui-messages-error ui-corner-all"><span class="ui-messages-error-icon"></span><ul><li><span class="ui-messages-error-summary"></span><span class="ui-messages-error-detail">${escapeXml(mensaje)}</span></li></ul></div></div>`;
}
