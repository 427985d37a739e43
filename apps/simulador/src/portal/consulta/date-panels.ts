import { encode } from '../web/html.ts';
import type { Criteria, Form } from './criteria.ts';
import { dropDown, MAIN, numbers } from './form-controls.ts';

const HOURS = numbers(0, 23);
const SIXTY = numbers(0, 59);
const FIRST_YEAR = 2011;

export type DatePanel = {
  tipo: Criteria['tipo'];
  /** Values that the lists show; a control without one shows its default. */
  form: Form;
  /** Whether the search is by date; if not, the controls are disabled. */
  isEnabled: boolean;
  /** The year of the simulator's clock in central Mexico. */
  year: number;
};

/** The controls that choose when: of received ones a month or a day, of issued ones a range. */
export function datePanel(panel: DatePanel): string {
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
