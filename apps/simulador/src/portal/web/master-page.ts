import { encode, hiddenInput } from './html.ts';

export type MasterPage = {
  rfc: string;
  /** File name of the page, which is also where its form is sent: `ConsultaReceptor.aspx`. */
  pagina: string;
  titulo: string;
  csrf: string;
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
  const { rfc, pagina, titulo, csrf, viewState, generator, contenido } = page;
  return `
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en">
<head id="ctl00_Head1"><title>
	${PAGE_TITLE}
</title><meta http-equiv="Content-Type" content="text/html; charset=utf-16" /><meta http-equiv="CACHE-CONTROL" content="NO-CACHE" /></head>
<body>
    <form method="post" action="./${pagina}" id="aspnetForm" class="form-horizontal" role="form">
${hiddenInput('__CSRFTOKEN', '__CSRFTOKEN', csrf)}
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
