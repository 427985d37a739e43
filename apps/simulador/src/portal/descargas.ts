import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { ProviderSession } from '../web/host.ts';
import { encode, formOf, hiddenInput, htmlResponse, withCookies } from '../web/http.ts';
import { openView, type Seal } from '../web/seal.ts';
import type { FaultRule } from '../world/faults.ts';
import { createMetadataZip } from '../world/packages.ts';
import { formatWallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { type Criteria, countRows, findRows } from './consulta/criteria.ts';
import { MAIN } from './consulta/form-controls.ts';
import type { SearchPage } from './consulta/search-page.ts';
import type { Folio } from './folios.ts';
import { pageMethodError } from './guard.ts';
import { masterPage, writeViewState } from './page.ts';
import type { PortalState } from './portal-state.ts';

type Deps = { world: World; state: PortalState };

const OPERATION = 'DescargaMetadatos';
const PARAMETROS = /['"]Parametros['"]\s*:\s*(['"])([^'"]*)\1/;
const sealedCriteria = z.object({ rfc: z.string(), tipo: z.enum(['emitidos', 'recibidos']) });

/**
 * The page method `DescargaMetadatos`: the hidden field's criteria, in base64 and then percent-encoded, as
 * `{'Parametros':'…'}` (single quotes, as the page's script writes them; double ones are taken too). It answers
 * `{"d": text}`: a text with `folio de descarga: <UUID>`, or one that begins with `Error:`.
 * Source: phpcfdi/cfdi-sat-scraper, pull request 97 and the script of the search page in tests/_files.
 */
export function createDescargaMetadatos(deps: Deps, page: SearchPage): Hono {
  return new Hono().post(`/${page.pagina}/${OPERATION}`, async (c) => {
    const body = await c.req.text();
    return deps.state.host.guard(c, { operation: OPERATION, detail: { pagina: page.pagina } }, (session, fault) => {
      const parametros = isJson(c) ? PARAMETROS.exec(body)?.[2] : undefined;
      if (parametros === undefined) {
        const message = "Invalid web service call, missing value for parameter: 'Parametros'.";
        return pageMethodError(500, message, 'System.InvalidOperationException');
      }
      const text = request(deps, page, session, parametros, fault);
      return Response.json({ d: text }, { headers: { 'content-type': 'application/json; charset=utf-8' } });
    });
  });
}

function request(
  { world, state }: Deps,
  page: SearchPage,
  session: ProviderSession,
  parametros: string,
  fault: FaultRule | null,
) {
  if (fault?.kind === 'code') return `Error: ${fault.mensaje ?? FAILED}`;
  const criteria = openCriteria(state, session, page, parametros);
  if (!criteria) return `Error: ${FAILED}`;
  const total = countRows(world, criteria);
  if (total === 0)
    return 'Error: No existen registros que cumplan con los criterios de búsqueda ingresados, intentar nuevamente.';
  const max = world.settings.max_filas_metadata;
  if (total > max) {
    return `Error: La consulta excede el máximo de ${max.toLocaleString('en-US')} registros por solicitud. Reduzca el periodo de búsqueda.`;
  }
  const folio = state.folios.request(criteria, total, fault?.kind === 'stuck');
  return `Su solicitud fue registrada con el folio de descarga: ${folio.id}. En un máximo de 48 horas podrá recuperar el paquete en la opción Recuperar Descargas de CFDI.`;
}

const FAILED = 'Ocurrió un error al procesar su solicitud. Por favor inténtelo más tarde.';

/** The criteria of a search that this taxpayer made on this page; null for anything else. */
function openCriteria(
  { seal }: PortalState,
  { rfc }: ProviderSession,
  { tipo }: SearchPage,
  parametros: string,
): Criteria | null {
  const text = Buffer.from(decodePercent(parametros), 'base64').toString('utf8');
  const value = seal.open(text);
  const read = sealedCriteria.safeParse(value);
  return read.success && read.data.rfc === rfc && read.data.tipo === tipo ? (value as Criteria) : null;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function isJson(c: Context): boolean {
  return (c.req.header('content-type') ?? '').startsWith('application/json');
}

const PAGINA = 'ConsultaDescargaMasiva.aspx';
const GENERATOR = 'A6C28F01';
const NOT_AVAILABLE = 'El paquete solicitado no se encuentra disponible.';
const reference = z.object({ paquete: z.string() });

/** The page that lists a taxpayer's folios and hands out their packages. */
export function createDescargaMasiva(deps: Deps): Hono {
  const { world, state } = deps;
  const show = (session: ProviderSession, error = '') => {
    const isListed = ({ estado }: Folio) => estado === 'disponible' || state.settings.lista_en_proceso;
    const folios = state.folios.look(session.rfc).filter(isListed);
    return htmlResponse(
      masterPage({
        pagina: PAGINA,
        titulo: 'Recuperar Descargas de CFDI',
        session,
        viewState: writeViewState(state.seal, session, PAGINA, 'folio'),
        generator: GENERATOR,
        contenido: downloadsPanel(folios, state.seal, error),
      }),
    );
  };

  const download = async (c: Context) => {
    const form = await formOf(c);
    const id = form[`${MAIN}hfFolioDescargaActual`] ?? '';
    const isDownload = form['__EVENTTARGET'] === `${MAIN}setLinkButtonDescarga`;
    const operation = isDownload ? 'DescargarPaquete' : PAGINA;
    return deps.state.host.guard(c, { operation, detail: { folio: id } }, (session) => {
      if (!isDownload) return show(session);
      const isOwnPage = openView(state.seal, session, PAGINA, form['__VIEWSTATE'] ?? '') !== null;
      const named = reference.safeParse(state.seal.open(form[`${MAIN}hfUrlDescargaActual`] ?? ''));
      const isNamed = named.success && named.data.paquete === id;
      const folio = isOwnPage && isNamed ? state.folios.find(session.rfc, id) : null;
      return folio ? packageOf(world, folio) : show(session, NOT_AVAILABLE);
    });
  };

  return new Hono()
    .get(`/${PAGINA}`, (c) => deps.state.host.guard(c, { operation: PAGINA }, (session) => show(session)))
    .post(`/${PAGINA}`, download);
}

/** The ZIP as a stream, of the same format as the bulk service's. */
function packageOf(world: World, { id, criteria, solicitado }: Folio): Response {
  const zip = createMetadataZip({
    id: `${id}_01`,
    rows: () => findRows(world, criteria),
    basura: world.taxpayers.taxpayer(criteria.rfc).basura,
    fecha: solicitado,
  });
  const response = new Response(Readable.toWeb(zip) as ReadableStream<Uint8Array>, {
    headers: {
      'content-type': 'application/x-zip-compressed',
      'content-disposition': `attachment; filename=${id}.zip`,
    },
  });
  return withCookies(response, { DownloadedFile: 'OK' });
}

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
function downloadsPanel(folios: readonly Folio[], seal: Seal, error: string): string {
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
