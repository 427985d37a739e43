import type { Row, Tipo } from '../world/taxpayers/row.ts';
import { DAY, parseWallTime, type WallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';

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
const ESTADOS: Readonly<Record<string, string>> = { '0': 'Cancelado', '1': 'Vigente' };

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
  return {
    uuid: '',
    inicio,
    fin,
    estado: ESTADOS[estado] ?? '',
    contraparte: contraparte.trim().toUpperCase(),
  };
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
