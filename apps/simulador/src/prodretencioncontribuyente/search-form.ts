import { encode } from '../portal/web/html.ts';
import type { Tipo } from '../world/taxpayers/row.ts';
import type { Fields } from './criteria.ts';

type Choice = readonly [value: string, text: string];

const MAIN = 'ctl00$MainContent$';
const FIRST_YEAR = 2014;
const ESTADOS: readonly Choice[] = [
  ['-1', 'Seleccione un valor...'],
  ['0', 'Cancelado'],
  ['1', 'Vigente'],
];
const COMPLEMENTOS: readonly Choice[] = [['-1', 'Seleccione un valor...']];

export type SearchForm = {
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
