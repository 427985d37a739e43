import { hiddenInput } from '../web/html.ts';
import { MAIN } from './form-controls.ts';
import { type ResultTable, resultTable } from './result-table.ts';

export type ResultPanel = ResultTable & {
  /** Whether a search took place; before it neither results nor their absence are shown. */
  isSearched: boolean;
  /** The criteria in a form only the portal reads; undefined before a search. */
  parametros: string | undefined;
};

/**
 * Content of the UpdatePanel `UpnlResultados`. Both the panel of results and the one that says that there are none are
 * always there; which one counts is told by `display`. The criteria are there even when nothing was found.
 */
export function resultPanel(panel: ResultPanel): string {
  const { isSearched, parametros, rows } = panel;
  const display = (isShown: boolean) => (isShown ? 'inline' : 'none');
  return `
                <div id="ctl00_MainContent_PnlResultados" style="display:${display(rows.length > 0)};">
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
