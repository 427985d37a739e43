import { encode, hiddenInput } from '../../web/http.ts';
import type { Criteria, Form } from './criteria.ts';
import { type Choice, dropDown, MAIN, numbers, textBox } from './form-controls.ts';

export type Filtro = 'folio' | 'fechas';

type SearchPanel = Omit<DatePanel, 'isEnabled'> & {
  /** Which of the two radio buttons is chosen. */
  filtro: Filtro;
  /** Why the search was refused; empty when it was not. */
  error: string;
  /** Whether the quota of XML of the day is used up or too small for the rows. */
  quota: string | undefined;
};

const ANY: Choice = ['-1', 'Seleccione un valor...'];
const ESTADOS: readonly Choice[] = [ANY, ['0', 'Cancelado'], ['1', 'Vigente']];
const COMPLEMENTOS: readonly Choice[] = [
  ANY,
  ['8', 'Estándar (sin complemento)'],
  ['549755813888', 'Recepción de Pagos'],
  ['1125899906842624', 'Recepción de Pagos 2.0'],
  ['137438953472', 'Recibo de Pago de Salarios 1.2'],
];
const VIGENTES: readonly Choice[] = [
  ['0', 'Seleccione un valor...'],
  ['1', 'En Proceso'],
  ['4', 'Rechazada'],
  ['5', 'Plazo vencido'],
  ['-1', 'Sin proceso'],
];
const CANCELADOS: readonly Choice[] = [
  ['0', 'Seleccione un valor...'],
  ['2', 'Cancelado con aceptación'],
  ['3', 'Cancelado sin aceptación'],
  ['5', 'Plazo vencido'],
];
const ISSUED_FIELDS = ['hfDatos', 'hfFlag', 'hfAux', 'hfCancelacion', 'hfJSONCancelacion', 'hfUrlDescarga'];

/** Content of the UpdatePanel `UpnlBusqueda`: what to search for. Controls of the filter not chosen are disabled. */
export function searchPanel(panel: SearchPanel): string {
  const { tipo, form, filtro, error, quota } = panel;
  const isByDate = filtro === 'fechas';
  const value = (name: string, standard: string) => form[MAIN + name] ?? standard;
  const others = tipo === 'emitidos' ? ISSUED_FIELDS.map((name) => hiddenInput(MAIN + name, name)).join('\n') : '';
  return `
${radio('RdoFolioFiscal', 'Folio Fiscal *', !isByDate)}
${textBox('TxtUUID', 36, value('TxtUUID', ''), !isByDate)}
${radio('RdoFechas', tipo === 'emitidos' ? '' : 'Fecha de Emisión *', isByDate)}
${datePanel({ ...panel, isEnabled: isByDate })}
<span id="ctl00_MainContent_LblRfcReceptor" class="control-label">${tipo === 'emitidos' ? 'RFC Receptor' : 'RFC Emisor'}</span>
${textBox('TxtRfcReceptor', 13, value('TxtRfcReceptor', ''), isByDate)}
<span id="ctl00_MainContent_LblRfcTercero" class="control-label">RFC a cuenta de terceros</span>
${textBox('TxtRfcTercero', 13, value('TxtRfcTercero', ''), isByDate)}
<span id="ctl00_MainContent_LblEstado" class="control-label">Estado del Comprobante</span>
${dropDown('DdlEstadoComprobante', 'ctl00_MainContent_DdlEstadoComprobante', ESTADOS, value('DdlEstadoComprobante', '-1'), isByDate)}
${hiddenInput(`${MAIN}hfInicialBool`, 'hfInicialBool', String(!isByDate))}
${hiddenInput(`${MAIN}hfDescarga`, 'hfDescarga', quota)}
${others}
${dropDown('ddlComplementos', 'ddlComplementos', COMPLEMENTOS, value('ddlComplementos', '-1'), isByDate)}
<div id="DivddlVigente" style="display: none;">${dropDown('ddlVigente', 'ddlVigente', VIGENTES, value('ddlVigente', '0'), true)}</div>
<div id="DivddlCancelado" style="display: none;">${dropDown('ddlCancelado', 'ddlCancelado', CANCELADOS, value('ddlCancelado', '0'), true)}</div>
<div class="pull-left">* Campos obligatorios</div>
<input type="submit" name="${MAIN}BtnBusqueda" value="Buscar CFDI" id="ctl00_MainContent_BtnBusqueda" class="btn btn-primary" />
<div id="ctl00_MainContent_ValidationSummary1" class="errores" style="display:none;"></div>
<div id="ctl00_MainContent_PnlErrores" class="erroruuid">${encode(error)}</div>
            `;
}

function radio(name: string, label: string, isChecked: boolean): string {
  const id = `ctl00_MainContent_${name}`;
  const state = isChecked
    ? 'checked="checked"'
    : `onclick="javascript:setTimeout(&#39;__doPostBack(\\&#39;${MAIN}${name}\\&#39;,\\&#39;\\&#39;)&#39;, 0)"`;
  return `<span class="radio-inline"><input id="${id}" type="radio" name="${MAIN}FiltroCentral" value="${name}" ${state} /><label for="${id}">${label}</label></span>`;
}

const HOURS = numbers(0, 23);
const SIXTY = numbers(0, 59);
const FIRST_YEAR = 2011;

type DatePanel = {
  tipo: Criteria['tipo'];
  /** Values that the lists show; a control without one shows its default. */
  form: Form;
  /** Whether the search is by date; if not, the controls are disabled. */
  isEnabled: boolean;
  /** The year of the simulator's clock in central Mexico. */
  year: number;
};

function datePanel(panel: DatePanel): string {
  return panel.tipo === 'recibidos' ? receivedPanel(panel) : issuedPanel(panel);
}

function receivedPanel({ form, isEnabled, year }: DatePanel): string {
  const list = (field: string, choices: ReturnType<typeof numbers>, standard: string) => {
    const name = `CldFecha$${field}`;
    const id = field === 'DdlAnio' ? field : `ctl00_MainContent_CldFecha_${field}`;
    return dropDown(name, id, choices, form[MAIN + name] ?? standard, isEnabled);
  };
  const days: ReturnType<typeof numbers> = [['0', ' '], ...numbers(1, 31, true)];
  return `<div id="ctl00_MainContent_CldFecha_UpnlSeleccionFecha">
	<span id="ctl00_MainContent_CldFecha_LblAnio" class="control-label">Año*:</span>
	${list('DdlAnio', numbers(FIRST_YEAR, year), String(year))}
	<span id="ctl00_MainContent_CldFecha_LblMes" class="control-label">Mes*:</span>
	${list('DdlMes', numbers(1, 12), '1')}
	<span id="ctl00_MainContent_CldFecha_lblDia" class="control-label">Día:</span>
	${list('DdlDia', days, '0')}
	<span id="ctl00_MainContent_CldFecha_Label1" class="control-label">Hora Inicial:</span>
	${list('DdlHora', HOURS, '0')}
	${list('DdlMinuto', SIXTY, '0')}
	${list('DdlSegundo', SIXTY, '0')}
	<span id="ctl00_MainContent_CldFecha_Label2" class="control-label">Hora Final:</span>
	${list('DdlHoraFin', HOURS, '23')}
	${list('DdlMinutoFin', SIXTY, '59')}
	${list('DdlSegundoFin', SIXTY, '59')}
</div>`;
}

/** The date boxes stay disabled even when the search is by date: a browser's script enables them. */
function issuedPanel({ form, isEnabled, year }: DatePanel): string {
  const moment = (control: string, label: string, standard: readonly [string, string, string, string]) => {
    const value = (field: string, otherwise: string) => form[`${MAIN}${control}$${field}`] ?? otherwise;
    const list = (field: string, choices: ReturnType<typeof numbers>, otherwise: string) =>
      dropDown(
        `${control}$${field}`,
        `ctl00_MainContent_${control}_${field}`,
        choices,
        value(field, otherwise),
        isEnabled,
      );
    const [date, hour, minute, second] = standard;
    return `<div id="ctl00_MainContent_${control}_UpnlSeleccionFecha">
	<span id="ctl00_MainContent_${control}_LblFecha" class="control-label">${label}</span>
	<input name="${MAIN}${control}$Calendario_text" type="text" id="ctl00_MainContent_${control}_Calendario_text" class="form-control" disabled="disabled" value="${encode(value('Calendario_text', date))}" />
	${list('DdlHora', HOURS, hour)}
	${list('DdlMinuto', SIXTY, minute)}
	${list('DdlSegundo', SIXTY, second)}
</div>`;
  };
  return `<input type="hidden" name="${MAIN}hfInicial" id="hfInicial" value="${year}" />
${moment('CldFechaInicial2', 'Fecha Inicial de Emisión *', [`01/01/${year}`, '0', '0', '0'])}
<input type="hidden" name="${MAIN}hfFinal" id="hfFinal" value="${year}" />
${moment('CldFechaFinal2', 'Fecha Final de Emisión *', [`01/01/${year}`, '23', '59', '59'])}`;
}
