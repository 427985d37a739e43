import { encode } from '../web/http.ts';
import type { Row, Tipo } from '../world/taxpayers/row.ts';
import { pesos } from '../world/texts.ts';
import { DAY, parseWallTime, type WallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';

type Choice = readonly [value: string, text: string];

const MAIN = 'ctl00$MainContent$';
const FIRST_YEAR = 2014;
const ESTADOS: readonly Choice[] = [
  ['-1', 'Seleccione un valor...'],
  ['0', 'Cancelado'],
  ['1', 'Vigente'],
];
const COMPLEMENTOS: readonly Choice[] = [['-1', 'Seleccione un valor...']];

type SearchForm = {
  tipo: Tipo;
  /** What was sent last; its values are shown again. */
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
    dropDown(id, htmlId, choices, value(id, standard));
  const times = (suffix: 'Ini' | 'Fin', standard: readonly [string, string, string]) =>
    [
      list(`selHor${suffix}`, numbers(0, 23), standard[0]),
      list(`selMin${suffix}`, numbers(0, 59), standard[1]),
      list(`selSeg${suffix}`, numbers(0, 59), standard[2]),
    ].join('\n');
  const dates =
    tipo === 'recibidos'
      ? [
          list('selAnio', numbers(FIRST_YEAR, year), String(year)),
          list('selMes', numbers(1, 12), '01'),
          list('selDia', [['0', ' '], ...numbers(1, 31)], '0'),
        ]
      : [textBox('fecIniEmi', value('fecIniEmi')), textBox('fecFinEmi', value('fecFinEmi'))];
  const [uuid, contraparte] = tipo === 'recibidos' ? ['txtFolio', 'txtEmisor'] : ['txtUuid', 'txtReceptor'];
  const filters =
    tipo === 'recibidos'
      ? [
          list('DdlEstadoComprobante', ESTADOS, '-1', 'MainContent_DdlEstadoComprobante'),
          list('ddlComplementos', COMPLEMENTOS, '-1'),
        ]
      : [list('selEstadoComprobante', ESTADOS, '-1'), list('selComplementos', COMPLEMENTOS, '-1')];
  return `<h2>Consultar CFDI de retenciones ${tipo === 'recibidos' ? 'recibidas' : 'emitidas'}</h2>
${radio('rbtnFolioFiscal', 'Folio fiscal*', !isByDate)}
${textBox(uuid, value(uuid))}
${radio('rbtnFiltros', 'Fecha de emisi&#243;n*', isByDate)}
${dates.join('\n')}
${times('Ini', ['00', '00', '00'])}
${times('Fin', ['23', '59', '59'])}
<label for="${contraparte}">RFC ${tipo === 'recibidos' ? 'Emisor' : 'Receptor'}</label>
${textBox(contraparte, value(contraparte))}
${filters.join('\n')}
<button class="btn btn-primary" onclick="ocultaResultados()">Buscar CFDI</button>
<div id="divErrores" class="errores"${error === '' ? ' style="display:none;"' : ''}>${encode(error)}</div>`;
}

function numbers(from: number, to: number): Choice[] {
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const text = String(from + i).padStart(2, '0');
    return [text, text];
  });
}

function dropDown(name: string, id: string, choices: readonly Choice[], selected: string): string {
  const options = choices.map(
    ([value, text]) =>
      `<option value="${value}"${value === selected ? ' selected="selected"' : ''}>${encode(text)}</option>`,
  );
  return `<select name="${MAIN}${name}" id="${id}" class="form-control">${options.join('')}</select>`;
}

function textBox(id: string, value: string): string {
  return `<input name="${MAIN}${id}" type="text" id="${id}" class="form-control" value="${encode(value)}" />`;
}

function radio(id: string, label: string, isChecked: boolean): string {
  const checked = isChecked ? ' checked="checked"' : '';
  return `<input type="radio" id="${id}" name="${MAIN}TipoFiltro" value="${id}"${checked} /><label for="${id}">${label}</label>`;
}

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

/** The posted fields by the last part of their name, which is the control's id. */
export type Fields = Readonly<Record<string, string>>;

/** What a search asks for; times have both ends inside. */
export type Criteria = {
  uuid: string;
  inicio: WallTime;
  fin: WallTime;
  estado: string;
  contraparte: string;
};

const UUID = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const ESTADO_OF: Readonly<Record<string, string>> = { '0': 'Cancelado', '1': 'Vigente' };

/** The fields of a form by their ids. */
export function fieldsOf(form: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name.split('$').at(-1) ?? name, value]));
}

/**
 * Reads a search of a page; the text of the fault when it is none. The radio button `rbtnFiltros` searches by date,
 * else by UUID.
 */
export function readCriteria(fields: Fields, tipo: Tipo): Criteria | string {
  if (fields['TipoFiltro'] !== 'rbtnFiltros') {
    const uuid = (fields[tipo === 'recibidos' ? 'txtFolio' : 'txtUuid'] ?? '').trim().toUpperCase();
    if (!UUID.test(uuid)) return 'Favor de proporcionar el folio fiscal';
    return { uuid, inicio: 0, fin: 0, estado: '', contraparte: '' };
  }
  const days = tipo === 'recibidos' ? dayOrMonth(fields) : range(fields);
  const begin = timeOf(fields, 'Ini', '00', '00', '00');
  const end = timeOf(fields, 'Fin', '23', '59', '59');
  if (!days || begin === null || end === null) return 'La fecha de emisión no es válida';
  const [inicio, fin] = [days.first + begin, days.last + end];
  if (inicio > fin) return 'La fecha inicial no puede ser mayor que la fecha final';
  const estado = fields[tipo === 'recibidos' ? 'DdlEstadoComprobante' : 'selEstadoComprobante'] ?? '-1';
  const contraparte = fields[tipo === 'recibidos' ? 'txtEmisor' : 'txtReceptor'] ?? '';
  return { uuid: '', inicio, fin, estado: ESTADO_OF[estado] ?? '', contraparte: contraparte.trim().toUpperCase() };
}

/** The retenciones that a search finds, by date of issue. */
export function* findRows({ taxpayers }: World, rfc: string, tipo: Tipo, criteria: Criteria): Iterable<Row> {
  const { uuid, inicio, fin, estado, contraparte } = criteria;
  const documento = 'retenciones' as const;
  if (uuid !== '') {
    const row = taxpayers.find(rfc, tipo, uuid, { documento });
    if (row) yield row;
    return;
  }
  for (const row of taxpayers.rows(rfc, tipo, inicio, fin, { documento })) {
    const other = tipo === 'emitidos' ? row.rfcReceptor : row.rfcEmisor;
    if ((estado === '' || row.estatus === estado) && (contraparte === '' || other === contraparte)) yield row;
  }
}

/** Received: one day, or with day 0 the whole month. */
function dayOrMonth(fields: Fields): { first: WallTime; last: WallTime } | null {
  const day = (fields['selDia'] ?? '0').padStart(2, '0');
  const month = `${fields['selAnio'] ?? ''}-${(fields['selMes'] ?? '').padStart(2, '0')}`;
  const first = parseWallTime(`${month}-${day === '00' ? '01' : day}`);
  if (first === null) return null;
  const date = new Date(first * 1000);
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
  return { first, last: day === '00' ? next - DAY : first };
}

/** Issued: from one day to another, `dd/mm/yyyy`. */
function range(fields: Fields): { first: WallTime; last: WallTime } | null {
  const [first = null, last = null] = ['fecIniEmi', 'fecFinEmi'].map((name) => {
    const [, dd, mm, yyyy] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(fields[name] ?? '') ?? [];
    return parseWallTime(`${yyyy}-${mm}-${dd}`);
  });
  return first === null || last === null ? null : { first, last };
}

function timeOf(fields: Fields, suffix: 'Ini' | 'Fin', ...standard: [string, string, string]): number | null {
  const [h = Number.NaN, m = Number.NaN, s = Number.NaN] = ['selHor', 'selMin', 'selSeg'].map((name, i) => {
    const text = fields[name + suffix] ?? standard[i] ?? '';
    return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  });
  return h < 24 && m < 60 && s < 60 ? h * 3600 + m * 60 + s : null;
}
