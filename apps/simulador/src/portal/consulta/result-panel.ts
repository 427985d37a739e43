import type { ProviderSession } from '../../web/host.ts';
import { encode, hiddenInput } from '../../web/http.ts';
import type { Seal } from '../../web/seal.ts';
import { cancelacionOf, type Row } from '../../world/taxpayers/row.ts';
import { pesos } from '../../world/texts.ts';
import type { PortalSettings } from '../portal-state.ts';
import { hasXml, linkOf } from '../recupera-cfdi.ts';
import type { Criteria } from './criteria.ts';
import { MAIN } from './form-controls.ts';

type ResultPanel = ResultTable & {
  /** Whether a search took place; before it neither results nor their absence are shown. */
  isSearched: boolean;
  isCapped: boolean;
  /** The criteria in a form only the portal reads; undefined before a search. */
  parametros: string | undefined;
};

/**
 * Content of the UpdatePanel `UpnlResultados`. The panel of results and the panel without results are always present;
 * `display` selects one. The criteria are present without results too.
 */
export function resultPanel(panel: ResultPanel): string {
  const { isSearched, isCapped, parametros, rows } = panel;
  const display = (isShown: boolean) => (isShown ? 'inline' : 'none');
  const cap = `<div id="ctl00_MainContent_PnlLimiteRegistros"><h2>La consulta realizada solo muestra los primeros ${rows.length} registros.</h2></div>`;
  return `
                <div id="ctl00_MainContent_PnlResultados" style="display:${display(rows.length > 0)};">${isCapped ? cap : ''}
                    <div class="form-group col-sm-12" id="DivContenedor">
                        <div class="col-sm-12" id="ContenedorDinamico" style="overflow: auto;">
                            ${resultTable(panel)}
                        </div>
                    </div>
                    <div id="ctl00_MainContent_pageNavPosition" class="form-group"></div>
                    <input type="submit" name="${MAIN}BtnDescargar" value="Descargar Seleccionados" id="ctl00_MainContent_BtnDescargar" class="btn btn-primary" />
                    <input type="submit" name="${MAIN}BtnMetadata" value="Descargar Metadata" onclick="return MetadataDescarga();" id="ctl00_MainContent_BtnMetadata" class="btn btn-primary" />
                    <input type="submit" name="${MAIN}BtnImprimir" value="Exportar Resultados a PDF" id="ctl00_MainContent_BtnImprimir" class="btn btn-primary" />
                    <div class="form-group" id="dvAlert"></div>
</div>
                <div id="ctl00_MainContent_PnlNoResultados" style="text-align:center;display:${display(isSearched && rows.length === 0)};">
                    <h2 class="subtitle" style="text-align: center;">No existen registros que cumplan con los criterios de b&uacute;squeda ingresados,
                        intentar nuevamente.</h2>
</div>
                ${hiddenInput(`${MAIN}hfParametrosMetadata`, 'hfParametrosMetadata', parametros)}
            `;
}

type Column = readonly [heading: string, value: (row: Row) => string];

const EFECTOS: Readonly<Record<Row['efecto'], string>> = {
  I: 'Ingreso',
  E: 'Egreso',
  T: 'Traslado',
  N: 'Nómina',
  P: 'Pago',
};
const isCancelled = (row: Row) => row.estatus === 'Cancelado';
/** A date as the tables write it; a blank for none. */
export const withT = (date: string) => (date === '' ? ' ' : date.replace(' ', 'T'));

/** The columns that the tables of CFDI and of retenciones begin with. */
export const ROW_COLUMNS: readonly Column[] = [
  ['Folio Fiscal', (row) => row.uuid],
  ['RFC Emisor', (row) => row.rfcEmisor],
  ['Nombre o Razón Social del Emisor', (row) => row.nombreEmisor],
  ['RFC Receptor', (row) => row.rfcReceptor],
  ['Nombre o Razón Social del Receptor', (row) => row.nombreReceptor],
  ['Fecha de Emisión', (row) => withT(row.fechaEmision)],
  ['Fecha de Certificación', (row) => withT(row.fechaCertificacionSat)],
  ['PAC que Certificó', (row) => row.rfcPac],
  ['Total', (row) => pesos(row.monto)],
];
const CFDI_COLUMNS: readonly Column[] = [
  ...ROW_COLUMNS,
  ['Efecto del Comprobante', (row) => EFECTOS[row.efecto]],
  ['Estatus de cancelación', (row) => cancelacionOf(row).esCancelable],
  ['Estado del Comprobante', (row) => row.estatus],
  ['Estatus de Proceso de Cancelación', (row) => cancelacionOf(row).estatus],
];
const CANCELLATION: Readonly<Record<PortalSettings['columnas'], readonly Column[]>> = {
  '2023': [['Fecha de Proceso de Cancelación', (row) => withT(row.fechaCancelacion)]],
  '2025': [
    ['Fecha de Solicitud de la Cancelación', (row) => withT(row.fechaCancelacion)],
    ['Fecha de Cancelación', (row) => withT(row.fechaCancelacion)],
  ],
};
const TERCERO: Column = ['RFC a cuenta de terceros', (row) => row.tercero?.rfc ?? ''];
const ISSUED_ONLY: readonly Column[] = [
  ['Motivo', (row) => (isCancelled(row) ? '02' : '')],
  ['Folio de Sustitución', () => ''],
];

type ResultTable = {
  tipo: Criteria['tipo'];
  columnas: PortalSettings['columnas'];
  rows: readonly Row[];
  /** Links of the rows are good in this session. */
  session: ProviderSession;
  seal: Seal;
};

/**
 * The table `tblResult`. The first column holds a table of its own with the row's actions, so a reader must look at
 * direct children only. Sets of columns: phpcfdi/cfdi-sat-scraper (tests/_files, changes of January 2023 and May 2025).
 */
function resultTable({ tipo, columnas, rows, session, seal }: ResultTable): string {
  const columns = [...CFDI_COLUMNS, ...CANCELLATION[columnas], TERCERO, ...(tipo === 'emitidos' ? ISSUED_ONLY : [])];
  const headings = columns.map(
    ([heading]) => `\t\t\t<th>
                                        <span style="width: 200px;">${heading}</span>
                                    </th>`,
  );
  const lines = rows.map((row) => {
    const cells = columns.map(
      ([, value]) =>
        `\t\t\t<td style="WORD-BREAK:BREAK-ALL;"><span style="display:inline-block;width:200px;">${encode(value(row))}</span></td>`,
    );
    return `\t\t<tr>\n\t\t\t<td>${actions(row, hasXml(row, tipo) ? linkOf(seal, session, tipo, row) : '')}</td>\n${cells.join('\n')}\n\t\t</tr>`;
  });
  return `<table id="ctl00_MainContent_tblResult" aria-label="Comprobantes" class="table table-responsive">
		<tr>
			<th>
                                        <span style="width: 160px;">
                                        <input type="checkbox" id="seleccionador" name="seleccionador" onclick="manejaseleccion();"
                                            title="Seleccionar todos" />&nbsp;
                                        Acciones</span>
                                    </th>
${headings.join('\n')}
		</tr>
${lines.join('\n')}
	</table>`;
}

function actions({ uuid }: Row, link: string): string {
  const icon = link
    ? `<td style="width:14.2%;"><span id="BtnDescarga" name="BtnDescarga"
                                       class="glyphicon glyphicon-cloud-download Interactivo"
                                       onclick="return AccionCfdi('${link}','Recuperacion');"
                                       title="Descargar" ></span></td>`
    : '';
  return `<div style="width:150px;"><table>
				<tr>
					<td style="width:14.2%;"><input id="ListaFolios" title="Seleccionar" name ="ListaFolios" type="checkbox" value=${uuid} class ="ListaFolios" onclick = "validaseleccion();" /><input type='hidden' id='ListaFoliosUrl' name='ListaFoliosUrl' value='${link}' /></td>${icon}
				</tr>
			</table></div>`;
}
