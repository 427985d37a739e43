import type { Documento, Row, Tipo } from '../../world/taxpayers/row.ts';
import { DAY, parseWallTime, type WallTime } from '../../world/wall-time.ts';
import type { World } from '../../world/world.ts';
import { MAIN } from './form-controls.ts';

/** Whose rows a search is made among; those generated later than `corte` do not exist yet. */
export type Asked = { rfc: string; documento: Documento; tipo: Tipo; corte: WallTime };

/** What a search asks for. Times are wall clock of central Mexico, both ends inside. */
export type Criteria = Asked & {
  /** Upper case; empty: by date. */
  uuid: string;
  inicio: WallTime;
  fin: WallTime;
  /** Empty: all. */
  estado: '' | Row['estatus'];
  contraparte: string;
  tercero: string;
  /** Value of the list of complements; `-1`: all. */
  complemento: string;
  /** Finds nothing, whatever there is. */
  isVacia?: true;
};

export type Form = Readonly<Record<string, string>>;

export const ESTADOS: Readonly<Record<string, Criteria['estado']>> = { '0': 'Cancelado', '1': 'Vigente' };
/** Complements whose rows the simulator can tell; `8` asks for those without any. */
const COMPLEMENTOS: Readonly<Record<string, string>> = {
  '8': '',
  '137438953472': 'nomina12',
  '549755813888': 'pagos10',
  '1125899906842624': 'pagos20',
};
export const UUID = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;

/** Reads the search by UUID; the text of the fault when it is none. */
export function readUuid(form: Form, asked: Asked): Criteria | string {
  const uuid = (form[`${MAIN}TxtUUID`] ?? '').trim().toUpperCase();
  if (!UUID.test(uuid)) return 'ERROR: Favor de proporcionar el folio fiscal';
  return { ...ANY, ...asked, uuid };
}

/** Criteria that narrow nothing. */
export const ANY = {
  uuid: '',
  inicio: 0,
  fin: 0,
  estado: '',
  contraparte: '',
  tercero: '',
  complemento: '-1',
} as const;

/** Reads the search by date; the text of the fault when the interval is none. */
export function readInterval(form: Form, asked: Asked): Criteria | string {
  const interval = asked.tipo === 'recibidos' ? readMonthOrDay(form) : readRange(form);
  if (typeof interval === 'string') return interval;
  const { inicio, fin } = interval;
  if (inicio > fin) return 'ERROR: La fecha inicial de emisión no puede ser mayor que la fecha final';
  return {
    ...ANY,
    ...asked,
    inicio,
    fin,
    estado: ESTADOS[form[`${MAIN}DdlEstadoComprobante`] ?? ''] ?? '',
    contraparte: (form[`${MAIN}TxtRfcReceptor`] ?? '').trim().toUpperCase(),
    tercero: (form[`${MAIN}TxtRfcTercero`] ?? '').trim().toUpperCase(),
    complemento: form[`${MAIN}ddlComplementos`] ?? '-1',
  };
}

export function* findRows({ taxpayers }: World, criteria: Criteria): Iterable<Row> {
  const { rfc, documento, tipo, corte, uuid, inicio, fin, isVacia } = criteria;
  if (isVacia) return;
  if (uuid !== '') {
    const row = taxpayers.find(rfc, tipo, uuid, { documento, corte });
    if (row) yield row;
    return;
  }
  for (const row of taxpayers.rows(rfc, tipo, inicio, fin, { documento, corte })) if (matches(row, criteria)) yield row;
}

export function countRows(world: World, criteria: Criteria): number {
  const { rfc, documento, tipo, corte, uuid, inicio, fin, estado, contraparte, tercero, complemento } = criteria;
  if (criteria.isVacia) return 0;
  const isWhole = uuid + estado + contraparte + tercero === '' && complemento === '-1';
  if (isWhole) return world.taxpayers.count(rfc, tipo, inicio, fin, { documento, corte });
  let total = 0;
  for (const _ of findRows(world, criteria)) total += 1;
  return total;
}

function matches(row: Row, { tipo, estado, contraparte, tercero, complemento }: Criteria): boolean {
  const other = tipo === 'emitidos' ? row.rfcReceptor : row.rfcEmisor;
  return (
    (estado === '' || row.estatus === estado) &&
    (contraparte === '' || other === contraparte) &&
    (tercero === '' || row.tercero?.rfc === tercero) &&
    (complemento === '-1' || row.complemento === COMPLEMENTOS[complemento])
  );
}

/** Received: one day, or with day 0 the whole month; the times hold for the first and the last day. */
function readMonthOrDay(form: Form) {
  const field = (name: string) => form[`${MAIN}CldFecha$${name}`] ?? '';
  const days = monthOrDay(field('DdlAnio'), field('DdlMes'), field('DdlDia'));
  if (days === null) return 'ERROR: La fecha de emisión no es válida';
  const begin = timeOf([field('DdlHora'), field('DdlMinuto'), field('DdlSegundo')]);
  const end = timeOf([field('DdlHoraFin'), field('DdlMinutoFin'), field('DdlSegundoFin')]);
  if (begin === null || end === null) return 'ERROR: La hora de emisión no es válida';
  return { inicio: days.first + begin, fin: days.last + end };
}

function readRange(form: Form) {
  const instant = (control: string) => {
    const field = (name: string) => form[`${MAIN}${control}$${name}`] ?? '';
    const day = dayOf(field('Calendario_text'));
    const time = timeOf([field('DdlHora'), field('DdlMinuto'), field('DdlSegundo')]);
    return day === null || time === null ? null : day + time;
  };
  const inicio = instant('CldFechaInicial2');
  if (inicio === null) return 'ERROR: Favor de proporcionar la fecha inicial de emisión';
  const fin = instant('CldFechaFinal2');
  if (fin === null) return 'ERROR: Favor de proporcionar la fecha final de emisión';
  return { inicio, fin };
}

/** The first and the last day of a month, or that day twice; day 0 is the whole month. Null for days that are none. */
export function monthOrDay(year: string, month: string, day: string): { first: WallTime; last: WallTime } | null {
  const isMonth = Number(day) === 0;
  const first = parseWallTime(`${year}-${month.padStart(2, '0')}-${isMonth ? '01' : day.padStart(2, '0')}`);
  if (first === null) return null;
  const date = new Date(first * 1000);
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
  return { first, last: isMonth ? next - DAY : first };
}

/** The day of `dd/mm/yyyy`, or null. */
export function dayOf(text: string): WallTime | null {
  const [, dd, mm, yyyy] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? [];
  return parseWallTime(`${yyyy}-${mm}-${dd}`);
}

/** Seconds of hour, minute and second, of one or two digits each; null when they are no time. */
export function timeOf(parts: readonly [string, string, string]): number | null {
  const [h = Number.NaN, m = Number.NaN, s = Number.NaN] = parts.map((text) =>
    /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN,
  );
  return h < 24 && m < 60 && s < 60 ? h * 3600 + m * 60 + s : null;
}
