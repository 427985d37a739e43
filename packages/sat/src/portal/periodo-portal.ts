import type { Periodo, TipoDescarga } from '@acuse/core';

/** Day and time of one end of a period, as numbers. */
export interface Instante {
  readonly anio: number;
  readonly mes: number;
  readonly dia: number;
  readonly hora: number;
  readonly minuto: number;
  readonly segundo: number;
}

const INSTANTE = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})$/;

/**
 * Both ends of a period the portal can be asked for. Throws RangeError for what no caller may ask: an end that is no
 * `yyyy-MM-ddTHH:mm:ss` instant, ends in the wrong order, or received CFDI over two calendar months (the portal's
 * page takes one day or one month, so the caller divides).
 */
export function readPeriodo(tipo: TipoDescarga, periodo: Periodo): { inicio: Instante; fin: Instante } {
  const inicio = readInstante(periodo.inicio);
  const fin = readInstante(periodo.fin);
  if (periodo.inicio > periodo.fin) throw new RangeError('The period ends before it begins');
  if (tipo === 'recibidos' && (inicio.anio !== fin.anio || inicio.mes !== fin.mes)) {
    throw new RangeError('A portal request for received CFDI cannot span two calendar months');
  }
  return { inicio, fin };
}

/** Received CFDI inside one day are asked for with begin and end time; otherwise the whole month is. */
export function isMismoDia({ inicio, fin }: { inicio: Instante; fin: Instante }): boolean {
  return inicio.anio === fin.anio && inicio.mes === fin.mes && inicio.dia === fin.dia;
}

/**
 * Whether the portal, asked for this period, delivers rows outside of it that the caller has to leave out. That is so
 * for received CFDI over several days that are not a whole month: the page then only takes the month. Rows count by
 * their date of issue (`FechaEmision`). Throws RangeError like {@link readPeriodo}.
 */
export function requiereRecorte(tipo: TipoDescarga, periodo: Periodo): boolean {
  const ends = readPeriodo(tipo, periodo);
  if (tipo === 'emitidos' || isMismoDia(ends)) return false;
  const lastDay = new Date(Date.UTC(ends.inicio.anio, ends.inicio.mes, 0)).getUTCDate();
  return !(
    ends.inicio.dia === 1 &&
    periodo.inicio.endsWith('T00:00:00') &&
    ends.fin.dia === lastDay &&
    periodo.fin.endsWith('T23:59:59')
  );
}

function readInstante(texto: string): Instante {
  const [, anio, mes, dia, hora, minuto, segundo] = (INSTANTE.exec(texto) ?? []).map(Number);
  const valid = Date.parse(`${texto}Z`);
  if (
    anio === undefined ||
    mes === undefined ||
    dia === undefined ||
    hora === undefined ||
    minuto === undefined ||
    segundo === undefined ||
    Number.isNaN(valid) ||
    !new Date(valid).toISOString().startsWith(texto)
  ) {
    throw new RangeError('An end of the period is no instant of the form yyyy-MM-ddTHH:mm:ss');
  }
  return { anio, mes, dia, hora, minuto, segundo };
}
