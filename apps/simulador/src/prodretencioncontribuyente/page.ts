import type { Seal } from '../portal/seal.ts';
import { encode, hiddenInput, htmlResponse } from '../portal/web/html.ts';
import type { ProviderSession } from '../sp/provider-session.ts';

export type Pagina = '/' | '/ConsultaReceptor' | '/ConsultaEmisor' | '/ConsultaDescargaMasiva';

const RELLENO = 'x'.repeat(2000);

/**
 * The frame of each page: form `#form1` (no `__CSRFTOKEN`), the authenticated RFC in `#LblRfcAutenticado`, the way out
 * in `#LnkBtnCierraSesion`; ids have no prefix but `MainContent_`. Source: a public map of the portal's controls, made
 * in March 2026.
 */
export function page(seal: Seal, session: ProviderSession, pagina: Pagina, contenido: string): Response {
  const { rfc, id } = session;
  return htmlResponse(`<!DOCTYPE html>
<html lang="es">
<head><meta charset="utf-8" /><title>Consulta CFDI de retenciones e información de pagos</title></head>
<body>
<form method="post" action="${pagina === '/' ? './?oculta=1' : `.${pagina}`}" id="form1">
${hiddenInput('__EVENTTARGET', '__EVENTTARGET', '')}
${hiddenInput('__EVENTARGUMENT', '__EVENTARGUMENT', '')}
${hiddenInput('__VIEWSTATE', '__VIEWSTATE', seal.close({ pagina, sesion: id, relleno: RELLENO }))}
${hiddenInput('__VIEWSTATEGENERATOR', '__VIEWSTATEGENERATOR', 'CA0B0334')}
${hiddenInput('__EVENTVALIDATION', '__EVENTVALIDATION', seal.close({ pagina }))}
<input type="hidden" id="hdnAut" value="${Buffer.from(rfc, 'utf8').toString('base64')}" />
<span id="LblRfcAutenticado" class="user-credencials__name">RFC autenticado: ${encode(rfc)}</span>
<a id="LnkBtnCierraSesion" class="pull-right" href="javascript:__doPostBack(&#39;ctl00$LnkBtnCierraSesion&#39;,&#39;&#39;)">Salir</a>
<div id="MainContent_PnlConsulta">
${contenido}
</div>
</form>
</body>
</html>
`);
}

/** Whether a view state that came back is that of this page and session. */
export function isOwnViewState(seal: Seal, session: ProviderSession, pagina: Pagina, text: string): boolean {
  const value = seal.open(text);
  if (typeof value !== 'object' || value === null) return false;
  const { pagina: from, sesion } = value as { pagina?: unknown; sesion?: unknown };
  return from === pagina && sesion === session.id;
}
