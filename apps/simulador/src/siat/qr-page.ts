import { randomBytes } from 'node:crypto';
import { escapeMarkup, newViewState, viewStateInput } from '../sp/jsf.ts';
import type { Perfil } from '../world/taxpayers/perfil.ts';
import { section } from './qr-table.ts';
import { secciones } from './secciones.ts';

/** What the page says of an idCIF and an RFC that do not belong together. */
export const NO_ENCONTRADA =
  'No se encontró información de la cédula de identificación fiscal para los datos proporcionados';

/** The page of a known taxpayer. */
export function qrPage(rfc: string, perfil: Perfil): string {
  const intro = `<ul id="ubicacionForm:j_idt8" data-role="listview" data-inset="data-inset" style="margin: 1em -15px;"><li>El RFC: ${escapeMarkup(rfc)}, tiene asociada la siguiente información.</li></ul>`;
  return frame(intro + secciones(perfil).map(section).join(''));
}

/** The page of an unknown one; HTTP status 200, as the SAT gives it. */
export function qrErrorPage(): string {
  return frame(
    `<fieldset id="ubicacionForm:j_idt6" class="ui-fieldset ui-widget ui-widget-content ui-corner-all"><div class="ui-fieldset-content"><div id="ubicacionForm:panelMensajes" class="ui-grid-null prueba"><div class="ui-block-a"><ul id="ubicacionForm:j_idt7" data-role="listview" data-inset="data-inset"><li><div id="ubicacionForm:j_idt7:msgs" class="ui-messages ui-widget" aria-live="polite"><div class="ui-messages-info ui-corner-all"><span class="ui-messages-info-icon"></span><ul><li><span class="ui-messages-info-summary"></span><span class="ui-messages-info-detail">${NO_ENCONTRADA}</span></li></ul></div></div></li></ul></div></div></div></fieldset>`,
  );
}

/** Everything around: an XML declaration and a stray meta before the doctype, as on the SAT's page. */
function frame(content: string): string {
  const session = `${randomBytes(33).toString('base64url')}!${randomBytes(4).readInt32BE()}`;
  const resource = (name: string, library: string) =>
    `/app/qr/faces/javax.faces.resource/${name};jsessionid=${session}?ln=${library}`;
  return `<?xml version="1.0" encoding="UTF-8" ?>

    <meta content="text/html; charset=UTF-8" http-equiv="Content-Type" /><!DOCTYPE html>
<html><head><meta name="viewport" content="width=device-width,initial-scale=1,minimum-scale=1,maximum-scale=1" /><title>Validador QR</title><link type="text/css" rel="stylesheet" href="${resource('mobile.css', 'primefaces-mobile')}" /><script type="text/javascript" src="${resource('jquery/jquery.js', 'primefaces')}"></script><script type="text/javascript" src="${resource('primefaces.js', 'primefaces')}"></script>
</head><body>
<center><img id="j_idt4" src="/app/qr/images/HACIENDA-SAT.jpg;jsessionid=${session}" alt="" width="320px" /></center>
<div id="pageContent" data-role="content">
<form id="ubicacionForm" name="ubicacionForm" method="post" action="/app/qr/faces/pages/mobile/validadorqr.jsf;jsessionid=${session}" class="ui-content" enctype="application/x-www-form-urlencoded">
<input type="hidden" name="ubicacionForm" value="ubicacionForm" />
<input id="ubicacionForm:iptRequiereUbicacion" name="ubicacionForm:iptRequiereUbicacion" type="hidden" /><input id="ubicacionForm:iptUbicacion" name="ubicacionForm:iptUbicacion" type="hidden" />${content}${viewStateInput(newViewState())}
</form></div></body></html>`;
}
