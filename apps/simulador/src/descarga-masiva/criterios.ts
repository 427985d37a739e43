import type { Element } from '@xmldom/xmldom';
import { isRfc } from '../world/taxpayers/rfc.ts';
import type { Row, Tipo } from '../world/taxpayers/row.ts';
import { DAY, parseWallTime, type WallTime } from '../world/wall-time.ts';
import { type Outcome, outcome } from './codes.ts';
import { child, children } from './soap/message.ts';
import { NS } from './soap/namespaces.ts';

/** What a request asks for. Both instants belong to the interval. */
export type Criterios = {
  tipo: Tipo;
  tipoSolicitud: 'CFDI' | 'Metadata';
  inicio: WallTime;
  fin: WallTime;
  /** The other side: up to five receivers of issued ones, one issuer of received ones; empty: all. */
  contrapartes: readonly string[];
  tipoComprobante: string;
  estado: 'Todos' | 'Vigente' | 'Cancelado';
  terceros: string;
  complemento: string;
};

const ESTADOS = ['Todos', 'Vigente', 'Cancelado'] as const;
const COMPROBANTES = ['', 'I', 'E', 'T', 'N', 'P'];
const MAX_RECEPTORES = 5;
const YEARS_BACK = 6;

/**
 * Reads the element `solicitud` of a request by period and applies the rules of the manual, or says what is wrong. A
 * date without a time is its first second (that one is taken: SAT-CFDI/python-satcfdi issue 56).
 */
export function readCriterios(solicitud: Element, tipo: Tipo, today: WallTime): Criterios | Outcome {
  const get = (name: string) => solicitud.getAttribute(name) ?? '';
  const own = get(tipo === 'emitidos' ? 'RfcEmisor' : 'RfcReceptor');
  if (own === '') return outcome(301, `falta ${tipo === 'emitidos' ? 'RfcEmisor' : 'RfcReceptor'}`);
  if (own !== get('RfcSolicitante')) return outcome(5001);

  const inicio = parseWallTime(get('FechaInicial'));
  const fin = parseWallTime(get('FechaFinal'));
  if (inicio === null || fin === null) return outcome(301, 'las fechas son yyyy-MM-ddTHH:mm:ss');
  if (inicio >= fin) return outcome(301, 'FechaInicial debe ser anterior a FechaFinal');
  if (inicio < oldest(today)) return outcome(301, 'FechaInicial es anterior a seis años');

  const tipoSolicitud = get('TipoSolicitud');
  if (tipoSolicitud !== 'CFDI' && tipoSolicitud !== 'Metadata') return outcome(301, 'TipoSolicitud');
  const estado = ESTADOS.find((some) => some === (get('EstadoComprobante') || 'Vigente'));
  if (!estado) return outcome(301, 'EstadoComprobante');
  const tipoComprobante = get('TipoComprobante');
  if (!COMPROBANTES.includes(tipoComprobante)) return outcome(301, 'TipoComprobante');
  if (tipo === 'recibidos' && tipoSolicitud === 'CFDI' && estado !== 'Vigente')
    return outcome(301, 'No se permite la descarga de xml que se encuentren cancelados.');

  const contrapartes = tipo === 'emitidos' ? receptoresOf(solicitud) : [get('RfcEmisor')].filter(Boolean);
  if (contrapartes.length > MAX_RECEPTORES) return outcome(301, 'más de cinco RfcReceptor');
  const terceros = get('RfcACuentaTerceros');
  if (![...contrapartes, ...(terceros ? [terceros] : [])].every(isRfc)) return outcome(301, 'RFC');
  return {
    tipo,
    tipoSolicitud,
    inicio,
    fin,
    contrapartes,
    tipoComprobante,
    estado,
    terceros,
    complemento: get('Complemento'),
  };
}

/** Whether the criteria let every row of the period pass, so that no row must be looked at. */
export function letsAllPass({ contrapartes, tipoComprobante, estado, terceros, complemento }: Criterios): boolean {
  return estado === 'Todos' && contrapartes.length === 0 && !tipoComprobante && !terceros && !complemento;
}

/** Whether a row is what the criteria ask for. */
export function matches(criterios: Criterios, row: Row): boolean {
  const { contrapartes, tipo, tipoComprobante, estado, terceros, complemento } = criterios;
  const contraparte = tipo === 'emitidos' ? row.rfcReceptor : row.rfcEmisor;
  return (
    (estado === 'Todos' || row.estatus === estado) &&
    (contrapartes.length === 0 || contrapartes.includes(contraparte)) &&
    (tipoComprobante === '' || row.efecto === tipoComprobante) &&
    (terceros === '' || row.tercero?.rfc === terceros) &&
    (complemento === '' || row.complemento === complemento)
  );
}

/** Empty RfcReceptor elements, which one public client always sends, count for nothing. */
function receptoresOf(solicitud: Element): string[] {
  return children(child(solicitud, NS.descarga, 'RfcReceptores'))
    .map((element) => element.textContent?.trim() ?? '')
    .filter((text) => text !== '');
}

/** 00:00 of this day six years ago. */
function oldest(today: WallTime): WallTime {
  const date = new Date(Math.floor(today / DAY) * DAY * 1000);
  date.setUTCFullYear(date.getUTCFullYear() - YEARS_BACK);
  return date.getTime() / 1000;
}
