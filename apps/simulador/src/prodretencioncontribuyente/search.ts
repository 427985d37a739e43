import {
  ANY,
  type Asked,
  type Criteria,
  dayOf,
  ESTADOS as ESTADO_OF,
  monthOrDay,
  timeOf,
  UUID,
} from '../portal/consulta/criteria.ts';
import { type Choice, dropDown, MAIN, numbers } from '../portal/consulta/form-controls.ts';
import { ROW_COLUMNS, withT } from '../portal/consulta/result-panel.ts';
import { encode } from '../web/http.ts';
import type { Row, Tipo } from '../world/taxpayers/row.ts';

const FIRST_YEAR = 2014;
const ESTADOS: readonly Choice[] = [
  ['-1', 'Seleccione un valor...'],
  ['0', 'Cancelado'],
  ['1', 'Vigente'],
];
const COMPLEMENTOS: readonly Choice[] = [['-1', 'Seleccione un valor...']];

/** Ids of what each page asks for in a control of its own. */
const CONTROLS = {
  recibidos: {
    uuid: 'txtFolio',
    contraparte: 'txtEmisor',
    estado: 'DdlEstadoComprobante',
    complemento: 'ddlComplementos',
  },
  emitidos: {
    uuid: 'txtUuid',
    contraparte: 'txtReceptor',
    estado: 'selEstadoComprobante',
    complemento: 'selComplementos',
  },
} as const;

type SearchForm = {
  tipo: Tipo;
  /** Last sent values, shown again. */
  fields: Fields;
  /** The year of the simulator's clock in central Mexico. */
  year: number;
  error: string;
};

/** The controls of a search; the button has no id and sends the whole form. */
export function searchForm({ tipo, fields, year, error }: SearchForm): string {
  const isByDate = fields['TipoFiltro'] === 'rbtnFiltros';
  const value = (id: string, standard = '') => fields[id] ?? standard;
  const list = (id: string, choices: readonly Choice[], standard: string, htmlId = id) =>
    dropDown(id, htmlId, choices, value(id, standard), true);
  const times = (suffix: 'Ini' | 'Fin', hour: string, sixtieth: string) =>
    [
      list(`selHor${suffix}`, numbers(0, 23, true), hour),
      ...['selMin', 'selSeg'].map((id) => list(id + suffix, numbers(0, 59, true), sixtieth)),
    ].join('\n');
  const dates =
    tipo === 'recibidos'
      ? [
          list('selAnio', numbers(FIRST_YEAR, year, true), String(year)),
          list('selMes', numbers(1, 12, true), '01'),
          list('selDia', [['0', ' '], ...numbers(1, 31, true)], '0'),
        ]
      : [textBox('fecIniEmi', value('fecIniEmi')), textBox('fecFinEmi', value('fecFinEmi'))];
  const { uuid, contraparte, estado, complemento } = CONTROLS[tipo];
  return `<h2>Consultar CFDI de retenciones ${tipo === 'recibidos' ? 'recibidas' : 'emitidas'}</h2>
${radio('rbtnFolioFiscal', 'Folio fiscal*', !isByDate)}
${textBox(uuid, value(uuid))}
${radio('rbtnFiltros', 'Fecha de emisi&#243;n*', isByDate)}
${dates.join('\n')}
${times('Ini', '00', '00')}
${times('Fin', '23', '59')}
<label for="${contraparte}">RFC ${tipo === 'recibidos' ? 'Emisor' : 'Receptor'}</label>
${textBox(contraparte, value(contraparte))}
${list(estado, ESTADOS, '-1', tipo === 'recibidos' ? `MainContent_${estado}` : estado)}
${list(complemento, COMPLEMENTOS, '-1')}
<button class="btn btn-primary" onclick="ocultaResultados()">Buscar CFDI</button>
<div id="divErrores" class="errores"${error === '' ? ' style="display:none;"' : ''}>${encode(error)}</div>`;
}

function textBox(id: string, value: string): string {
  return `<input name="${MAIN}${id}" type="text" id="${id}" class="form-control" value="${encode(value)}" />`;
}

function radio(id: string, label: string, isChecked: boolean): string {
  const checked = isChecked ? ' checked="checked"' : '';
  return `<input type="radio" id="${id}" name="${MAIN}TipoFiltro" value="${id}"${checked} /><label for="${id}">${label}</label>`;
}

/** No source tells the columns of this table; they are named as those of the CFDI portal's. */
const COLUMNS: typeof ROW_COLUMNS = [
  ...ROW_COLUMNS,
  ['Estado del Comprobante', (row) => row.estatus],
  ['Fecha de Cancelación', (row) => withT(row.fechaCancelacion)],
];

/**
 * Table `#tablaRetenciones` and the text without results; both are in every page, and `display` selects one. Neither
 * before the first search (`rows` null).
 */
export function resultPanel(tipo: Tipo, rows: readonly Row[] | null, isCapped = false): string {
  const headings = COLUMNS.map(([heading]) => `<th>${encode(heading)}</th>`).join('');
  const lines = (rows ?? []).map((row) => {
    const cells = COLUMNS.map(([, value]) => `<td><span>${encode(value(row))}</span></td>`).join('');
    return `<tr><td><input type="checkbox" class="ListaFolios" value="${row.uuid}" /></td>${cells}</tr>`;
  });
  const show = (isShown: boolean) => `style="display:${isShown ? 'inline' : 'none'};"`;
  const nothing = tipo === 'recibidos' ? 'divNoResultadosReceptor' : 'divNoResultados';
  const cap =
    '<div id="divLimiteRegistros"><h2>La consulta realizada solo muestra los primeros registros.</h2></div>\n';
  return `${isCapped ? cap : ''}<div id="divResultados" ${show(lines.length > 0)}>
<table id="tablaRetenciones" class="table table-responsive">
<thead><tr><th>Acciones</th>${headings}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table>
</div>
<div id="${nothing}" class="noresultados" ${show(rows !== null && lines.length === 0)}>No existen registros que cumplan con los criterios de b&#250;squeda ingresados, intentar nuevamente.</div>`;
}

/** The posted fields by the last part of their name, which is the control's id. */
export type Fields = Readonly<Record<string, string>>;

/** The fields of a form by their ids. */
export function fieldsOf(form: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name.split('$').at(-1) ?? name, value]));
}

/**
 * Reads a search of a page; the text of the fault when it is none. The radio button `rbtnFiltros` searches by date,
 * else by UUID.
 */
export function readCriteria(fields: Fields, asked: Asked): Criteria | string {
  const field = (name: string, standard = '') => fields[name] ?? standard;
  const controls = CONTROLS[asked.tipo];
  if (field('TipoFiltro') !== 'rbtnFiltros') {
    const uuid = field(controls.uuid).trim().toUpperCase();
    return UUID.test(uuid) ? { ...ANY, ...asked, uuid } : 'Favor de proporcionar el folio fiscal';
  }
  const [first, last] = [dayOf(field('fecIniEmi')), dayOf(field('fecFinEmi'))];
  const range = first === null || last === null ? null : { first, last };
  const days = asked.tipo === 'recibidos' ? monthOrDay(field('selAnio'), field('selMes'), field('selDia')) : range;
  const begin = timeOf([field('selHorIni', '00'), field('selMinIni', '00'), field('selSegIni', '00')]);
  const end = timeOf([field('selHorFin', '23'), field('selMinFin', '59'), field('selSegFin', '59')]);
  if (!days || begin === null || end === null) return 'La fecha de emisión no es válida';
  const [inicio, fin] = [days.first + begin, days.last + end];
  if (inicio > fin) return 'La fecha inicial no puede ser mayor que la fecha final';
  const estado = ESTADO_OF[field(controls.estado)] ?? '';
  return { ...ANY, ...asked, inicio, fin, estado, contraparte: field(controls.contraparte).trim().toUpperCase() };
}
