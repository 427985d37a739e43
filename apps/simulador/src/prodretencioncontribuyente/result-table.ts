import { encode } from '../portal/web/html.ts';
import type { Row, Tipo } from '../world/taxpayers/row.ts';
import { pesos } from '../world/texts.ts';

const withT = (date: string) => date.replace(' ', 'T');

/** No source tells the columns of this table; they are named as those of the CFDI portal's. */
const COLUMNS: readonly (readonly [heading: string, value: (row: Row) => string])[] = [
  ['Folio Fiscal', (row) => row.uuid],
  ['RFC Emisor', (row) => row.rfcEmisor],
  ['Nombre o Razón Social del Emisor', (row) => row.nombreEmisor],
  ['RFC Receptor', (row) => row.rfcReceptor],
  ['Nombre o Razón Social del Receptor', (row) => row.nombreReceptor],
  ['Fecha de Emisión', (row) => withT(row.fechaEmision)],
  ['Fecha de Certificación', (row) => withT(row.fechaCertificacionSat)],
  ['PAC que Certificó', (row) => row.rfcPac],
  ['Total', (row) => pesos(row.monto)],
  ['Estado del Comprobante', (row) => row.estatus],
  ['Fecha de Cancelación', (row) => withT(row.fechaCancelacion)],
];

/**
 * Table `#tablaRetenciones` and the text that there is nothing; both are in every page, and `display` tells which
 * counts. Before the first search (`rows` null) none does.
 */
export function resultPanel(tipo: Tipo, rows: readonly Row[] | null): string {
  const headings = COLUMNS.map(([heading]) => `<th>${encode(heading)}</th>`).join('');
  const lines = (rows ?? []).map((row) => {
    const cells = COLUMNS.map(([, value]) => `<td><span>${encode(value(row))}</span></td>`).join('');
    return `<tr><td><input type="checkbox" class="ListaFolios" value="${row.uuid}" /></td>${cells}</tr>`;
  });
  const show = (isShown: boolean) => `style="display:${isShown ? 'inline' : 'none'};"`;
  const nothing = tipo === 'recibidos' ? 'divNoResultadosReceptor' : 'divNoResultados';
  return `<div id="divResultados" ${show(lines.length > 0)}>
<table id="tablaRetenciones" class="table table-responsive">
<thead><tr><th>Acciones</th>${headings}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table>
</div>
<div id="${nothing}" class="noresultados" ${show(rows !== null && lines.length === 0)}>No existen registros que cumplan con los criterios de b&#250;squeda ingresados, intentar nuevamente.</div>`;
}
