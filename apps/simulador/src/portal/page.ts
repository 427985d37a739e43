import { randomBytes } from 'node:crypto';
import type { ProviderSession } from '../web/host.ts';
import { encode, hiddenInput } from '../web/http.ts';
import { type Seal, sealView } from '../web/seal.ts';
import type { Filtro } from './consulta/search-panel.ts';

type MasterPage = {
  session: ProviderSession;
  /** File name of the page, which is also where its form is sent: `ConsultaReceptor.aspx`. */
  pagina: string;
  titulo: string;
  viewState: string;
  generator: string;
  /** Content of the page's own part, markup. */
  contenido: string;
};

/** Names what the portal calls every page in its title. */
export const PAGE_TITLE = 'Portal Contribuyentes CFDI | Buscar CFDI';

/**
 * The frame of every page of the portal: hidden ASP.NET inputs, the authenticated RFC, the way out. The charset
 * declared is wrong on purpose: the SAT declares utf-16 and sends UTF-8 (phpcfdi/cfdi-sat-scraper, tests/_files).
 */
export function masterPage(page: MasterPage): string {
  const { session, pagina, titulo, viewState, generator, contenido } = page;
  const { rfc } = session;
  return `
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en">
<head id="ctl00_Head1"><title>
	${PAGE_TITLE}
</title><meta http-equiv="Content-Type" content="text/html; charset=utf-16" /><meta http-equiv="CACHE-CONTROL" content="NO-CACHE" /></head>
<body>
    <form method="post" action="./${pagina}" id="aspnetForm" class="form-horizontal" role="form">
${hiddenInput('__CSRFTOKEN', '__CSRFTOKEN', csrfOf(session))}
${hiddenInput('__VIEWSTATE', '__VIEWSTATE', viewState)}
${hiddenInput('__VIEWSTATEGENERATOR', '__VIEWSTATEGENERATOR', generator)}
${hiddenInput('__VIEWSTATEENCRYPTED', '__VIEWSTATEENCRYPTED', '')}
        <input type="hidden" id="hdnAut" value="${Buffer.from(rfc, 'utf8').toString('base64')}" />
        <div id="cuerpo_principal" class="container">
            <div id="ctl00_UpnlNombre"></div>
            <ul class="list-unstyled">
              <li>
                <span id="ctl00_LblRfcAutenticado" class="signin">RFC Autenticado: ${encode(rfc)}</span>
                <a class="pull-right" type="button" href="/logout.aspx?salir=y" id="anchorClose">Salir</a>
              </li>
            </ul>
            <div id="cuerpo">
    <h2>${titulo}</h2>
    <div id="ctl00_MainContent_PnlConsulta">
${contenido}
</div>
            </div>
        </div>
    </form>
</body>
</html>
`;
}

/** The token that every page of a session carries in `__CSRFTOKEN`. */
export function csrfOf({ notes }: ProviderSession): string {
  const csrf = notes.get('csrf') ?? randomBytes(30).toString('base64');
  notes.set('csrf', csrf);
  return csrf;
}

/** Brings the text to the size of a real one, some five thousand characters. */
const FILLER_BYTES = 2800;

/** Text of ASP.NET for a view state that is not this page's, this session's or this server's. */
export const VIEW_STATE_ERROR =
  'Validation of viewstate MAC failed. If this application is hosted by a Web Farm or cluster, ensure that <machineKey> configuration specifies the same validationKey and validation algorithm.';

/** The view state of a page on which this filter is enabled. */
export function writeViewState(seal: Seal, session: ProviderSession, pagina: string, filtro: Filtro): string {
  return sealView(seal, session, pagina, { filtro, relleno: 'x'.repeat(FILLER_BYTES) });
}

/** One record of an answer to an asynchronous postback. */
export type DeltaRecord = readonly [type: string, id: string, content: string];

/**
 * Writes the answer of ASP.NET AJAX to an asynchronous postback: the version record `1|#||4|`, then
 * `length|type|id|content|` for each record. The length counts UTF-16 code units of the content, as .NET does.
 */
export function writeDelta(records: readonly DeltaRecord[]): string {
  return ['1|#||4|', ...records.map(([type, id, content]) => `${content.length}|${type}|${id}|${content}|`)].join('');
}

/** The answer that sends the browser elsewhere, in place of a redirection. */
export function redirectDelta(location: string): string {
  return writeDelta([['pageRedirect', '', encodeURIComponent(location)]]);
}

/** The answer to a postback that failed with an exception. */
export function errorDelta(message: string): string {
  return `${message.length}|error|500|${message}|`;
}

export function deltaResponse(body: string): Response {
  return new Response(body, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, no-store' },
  });
}
