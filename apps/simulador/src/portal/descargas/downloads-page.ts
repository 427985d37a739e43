import { formatWallTime, wallTimeOf } from '../../world/wall-time.ts';
import { MAIN } from '../consulta/form-controls.ts';
import type { Seal } from '../seal.ts';
import { encode, hiddenInput } from '../web/html.ts';
import type { Folio } from './folios.ts';

const HEADINGS = [
  'Descargar paquete',
  'Folio de descarga',
  'RFC contribuyente',
  'Tipo Descarga',
  'Cantidad de documentos',
  'Fecha de la solicitud de descarga',
];

/** What the portal reads from the second hidden value of a row; only a row that can be downloaded has one. */
type PackageReference = { paquete: string };

/**
 * Content of ConsultaDescargaMasiva.aspx. A row that can be downloaded calls `AccionRetencion(folio, url,
 * 'Recuperacion')`, which fills the two hidden fields and posts the page back for `setLinkButtonDescarga`
 * (phpcfdi/cfdi-sat-scraper, pull request 97); one in process says so in that place.
 */
export function downloadsPanel(folios: readonly Folio[], seal: Seal, error: string): string {
  const display = (isShown: boolean) => (isShown ? 'inline' : 'none');
  const rows = folios.map((folio) => `\t\t<tr>\n${cellsOf(folio, seal)}\n\t\t</tr>`);
  const headings = HEADINGS.map((heading) => `\t\t\t<th>${heading}</th>`);
  return `        <div id="ctl00_MainContent_UpnlResultados">
            <div id="ctl00_MainContent_PnlErrores" class="erroruuid">${encode(error)}</div>
            <div id="ctl00_MainContent_PnlResultados" class="col-md-12" style="display:${display(folios.length > 0)};">
                <div id="DivContenedor" class="resultados col-md-12"><div id="ContenedorDinamico" class="col-md-12">
                <table id="ctl00_MainContent_tblResult" class="table table-responsive">
		<tr>
${headings.join('\n')}
		</tr>
${rows.join('\n')}
	</table>
                </div></div>
            </div>
            <div id="ctl00_MainContent_PnlNoResultados" style="text-align:center;display:${display(folios.length === 0)};">
                <h2 class="subtitle">No existen registros de descargas en los últimos 3 días.</h2>
            </div>
            <a id="setLinkButtonDescarga" class="btn btn-link" href="javascript:__doPostBack(&#39;${MAIN}setLinkButtonDescarga&#39;,&#39;&#39;)"></a>
            ${hiddenInput(`${MAIN}hfFolioDescargaActual`, 'hfFolioDescargaActual', '')}
            ${hiddenInput(`${MAIN}hfUrlDescargaActual`, 'hfUrlDescargaActual', '')}
        </div>`;
}

function cellsOf(folio: Folio, seal: Seal): string {
  const { id, criteria, total, solicitado, estado } = folio;
  const reference: PackageReference = { paquete: id };
  const action =
    estado === 'disponible'
      ? `<span id="BtnDescarga" class="glyphicon glyphicon-cloud-download Interactivo" onclick="return AccionRetencion('${id}','${seal.close(reference)}','Recuperacion')" title="Descargar"></span>`
      : '<span class="text-muted">En proceso</span>';
  const date = formatWallTime(wallTimeOf(solicitado), 'T');
  return [action, id, encode(criteria.rfc), 'Metadata', String(total), date]
    .map((cell) => `\t\t\t<td>${cell}</td>`)
    .join('\n');
}
