import { escapeMarkup, viewStateInput } from '../sp/jsf.ts';

export const CONSULTA_TRAMITE = '/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf';
export const GENERA_CONSTANCIA = '/PTSC/IdcSiat/IdcGeneraConstancia.jsf';
/** The form and the button "Generar Constancia" (phpcfdi/csf-sat-scraper, SAT-CFDI/python-satcfdi). */
export const FORM = 'formReimpAcuse';
export const BUTTON = `${FORM}:j_idt50`;

export type ConsultaTramitePage = {
  rfc: string;
  /** Absolute address that the form is sent to. */
  action: string;
  viewState: string;
};

/** The page "Reimpresión de Acuses", whose button has the constancia made. */
export function consultaTramitePage({ rfc, action, viewState }: ConsultaTramitePage): string {
  const filter = (etiqueta: string, name: string) =>
    `<label for="${FORM}:${name}">${etiqueta}</label><input id="${FORM}:${name}" name="${FORM}:${name}" type="text" value="" />`;
  return `<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml">
<head><title>Reimpresión de Acuses</title></head>
<body>
<h3>Reimpresión de Acuses</h3>
<form id="${FORM}" name="${FORM}" method="post" action="${escapeMarkup(action)}" enctype="application/x-www-form-urlencoded">
<input type="hidden" name="${FORM}" value="${FORM}" />
<div id="${FORM}:mensajes" class="ui-messages ui-widget" aria-live="polite"></div>
<div><span>RFC:</span> <span id="${FORM}:rfc">${escapeMarkup(rfc)}</span></div>
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

/** What the page shows in place of a constancia that it could not make. */
export function errorMessage(mensaje: string): string {
  return `<div id="${FORM}:mensajes" class="ui-messages ui-widget" aria-live="polite"><div class="ui-messages-error ui-corner-all"><span class="ui-messages-error-icon"></span><ul><li><span class="ui-messages-error-summary"></span><span class="ui-messages-error-detail">${escapeMarkup(mensaje)}</span></li></ul></div></div>`;
}
