import { escapeMarkup } from '../sp/jsf.ts';

/** One line of a section: the label with its colon, and the value. */
export type Linea = readonly [etiqueta: string, valor: string];

/** A section of the page: a heading and its lines. */
export type Seccion = { titulo: string; lineas: readonly Linea[] };

/**
 * A section as PrimeFaces renders it: a list whose second item is a grid with two tables, that of the lines and one
 * that is always empty. The public readers depend on the roles, the classes and two `style` attributes to the letter,
 * and on the regimes being in the fifth table (phpcfdi/csf-scraper, src/DataExtractor.php; SAT-CFDI/python-satcfdi,
 * satcfdi/csf).
 */
export function section({ titulo, lineas }: Seccion, index: number): string {
  const id = `ubicacionForm:j_idt10:${index}:j_idt11`;
  const rows = lineas.map(([etiqueta, valor], ri) => dataRow(etiqueta, valor, ri)).join('');
  const empty = '<tr class="ui-widget-content ui-datatable-empty-message"><td colspan="1"></td></tr>';
  return `<ul id="${id}" data-role="listview" data-inset="data-inset" style="margin: 1em -15px;"><li data-role="list-divider">${titulo}</li><li><table id="${id}:j_idt13" class="ui-panelgrid ui-widget prueba" role="grid"><tbody>${gridRow(dataTable(`${id}:j_idt14`, 2, rows))}<tr class="ui-widget-content" role="row"><td role="gridcell"></td></tr>${gridRow(dataTable(`${id}:j_idt22`, 1, empty))}</tbody></table></li></ul>`;
}

function gridRow(content: string): string {
  return `<tr class="ui-widget-content" role="row"><td role="gridcell">${content}</td></tr>`;
}

function dataTable(id: string, columns: number, rows: string): string {
  const heads = Array.from(
    { length: columns },
    (_, i) => `<th id="${id}:j_idt${15 + 2 * i}" class="ui-state-default" role="columnheader"><span></span></th>`,
  ).join('');
  const widget = `widget_${id.replaceAll(':', '_')}`;
  return `<div id="${id}" class="ui-datatable ui-widget hide-column-names"><div class="ui-datatable-tablewrapper"><table role="grid"><thead id="${id}_head"><tr role="row">${heads}</tr></thead><tfoot></tfoot><tbody id="${id}_data" class="ui-datatable-data ui-widget-content">${rows}</tbody></table></div></div><script id="${id}_s" type="text/javascript">$(function(){PrimeFaces.cw('DataTable','${widget}',{id:'${id}'});});</script>`;
}

function dataRow(etiqueta: string, valor: string, ri: number): string {
  const parity = ri % 2 === 0 ? 'even' : 'odd';
  return `<tr data-ri="${ri}" class="ui-widget-content ui-datatable-${parity}" role="row"><td role="gridcell"><span style="font-weight: bold;">${etiqueta}</span></td><td role="gridcell" style="text-align:left;">${escapeMarkup(valor)}</td></tr>`;
}
