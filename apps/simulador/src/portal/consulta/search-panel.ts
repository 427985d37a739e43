import { encode, hiddenInput } from '../web/html.ts';
import { type DatePanel, datePanel } from './date-panels.ts';
import { type Choice, dropDown, MAIN, textBox } from './form-controls.ts';

export type Filtro = 'folio' | 'fechas';

export type SearchPanel = Omit<DatePanel, 'isEnabled'> & {
  /** Which of the two radio buttons is chosen. */
  filtro: Filtro;
  /** Why the search was refused; empty when it was not. */
  error: string;
};

const ANY: Choice = ['-1', 'Seleccione un valor...'];
const ESTADOS: readonly Choice[] = [ANY, ['0', 'Cancelado'], ['1', 'Vigente']];
const COMPLEMENTOS: readonly Choice[] = [
  ANY,
  ['8', 'Estándar (sin complemento)'],
  ['549755813888', 'Recepción de Pagos'],
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
  const { tipo, form, filtro, error } = panel;
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
${hiddenInput(`${MAIN}hfDescarga`, 'hfDescarga')}
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
