import type { Formato } from '@acuse/contract';
import type { CanalSat } from './credencial.ts';
import type { Contenido, Filtros, Periodo, TipoDescarga } from './ports/metadata.ts';
import type { ResumenPaquete } from './ports/paquetes.ts';
import { divide, periodosDe, periodosIniciales, toSeconds } from './solicitud/periodos.ts';
import { XML_A_DAY } from './xml/cuota-xml.ts';

/** A finished solicitud, by which another one is estimated. */
export interface Terminada {
  /** Calendar days, `yyyy-MM-dd`. */
  readonly desde: string;
  readonly hasta: string;
  readonly contenido: Contenido;
  readonly formato: Formato;
  /** Null, or those of the estimated one. */
  readonly filtros: Filtros | null;
  readonly registros: number;
  /** Of its package. */
  readonly bytes: number | null;
  readonly resumen: ResumenPaquete;
}

/** The download that is estimated. */
export interface PorEstimar {
  readonly tipo: TipoDescarga;
  readonly desde: string;
  readonly hasta: string;
  readonly contenido: Contenido;
  readonly formato: Formato;
  readonly filtros: Filtros | null;
}

/** Most rows of one request at the SAT (web service, version 1.5), and of one search in the portal, which shows 500. */
const LIMITS = { soap: { metadata: 1_000_000, xml: 200_000 }, portal: { metadata: 1_000_000, xml: 499 } } as const;

/** Bytes in a package without history, deflated: a row of metadata (in the rows and in the SAT's file) and an XML of 5 KB. */
const USUAL = { metadata: 200, xml: 1_000 } as const;

const DAY = 86_400;
const secondsOf = ({ inicio, fin }: Periodo) => toSeconds(fin) - toSeconds(inicio) + 1;

/** The days of `desde` to `hasta` by month, `yyyy-MM`. */
function daysByMonth(desde: string, hasta: string): Map<string, number> {
  const days = new Map<string, number>();
  const periodo = { inicio: `${desde}T00:00:00`, fin: `${hasta}T23:59:59` };
  for (const month of periodosDe({ canal: 'portal', tipo: 'recibidos', periodo }))
    days.set(month.inicio.slice(0, 7), secondsOf(month) / DAY);
  return days;
}

/** Rows of a month of an earlier solicitud; only those of the wanted kind when it was not filtered by kind. */
function rowsOf({ resumen, filtros }: Terminada, month: string, asked: Filtros | null): number {
  const counts = resumen.porMes[month] ?? {};
  const only = filtros === null ? asked?.tipo_comprobante : undefined;
  if (only !== undefined) return counts[only] ?? 0;
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

/**
 * Expected rows; null without earlier solicitudes. Each month counts with the rows a day of the solicitud that has most
 * days of it (the newest of equals); a month without one counts with the average of the others.
 */
export function expectedRows(terminadas: readonly Terminada[], pedido: PorEstimar): number | null {
  const known = new Map<string, { rows: number; days: number }>();
  for (const terminada of terminadas)
    for (const [month, days] of daysByMonth(terminada.desde, terminada.hasta))
      if (days > (known.get(month)?.days ?? 0))
        known.set(month, { rows: rowsOf(terminada, month, pedido.filtros), days });
  if (known.size === 0) return null;
  const all = [...known.values()].reduce((sum, each) => ({ rows: sum.rows + each.rows, days: sum.days + each.days }));
  let rows = 0;
  for (const [month, days] of daysByMonth(pedido.desde, pedido.hasta)) {
    const from = known.get(month) ?? all;
    rows += (from.rows / from.days) * days;
  }
  return Math.round(rows);
}

/** Expected bytes of the package: bytes a row of the newest package with rows and equal content and format; else USUAL. */
export function expectedBytes(
  rows: number,
  terminadas: readonly Terminada[],
  { contenido, formato }: Pick<PorEstimar, 'contenido' | 'formato'>,
): number {
  const like = terminadas.find(
    (each) => each.contenido === contenido && each.formato === formato && each.registros > 0 && each.bytes !== null,
  );
  if (like?.bytes != null) return Math.round((like.bytes / like.registros) * rows);
  return rows * (contenido === 'xml' ? USUAL.metadata + USUAL.xml : USUAL.metadata);
}

/** Periods that a content is first asked for by. */
export const firstPeriods = ({ desde, hasta, tipo }: PorEstimar, canal: CanalSat, ahora: Date): Periodo[] =>
  periodosIniciales({ canal, tipo, desde, hasta, ahora });

/**
 * Expected requests at the SAT: one for each content and period, and one for each piece of a period with too many rows.
 * Unknown rows divide nothing.
 */
export function expectedRequests(rows: number | null, pedido: PorEstimar, canal: CanalSat, ahora: Date): number {
  const { tipo, contenido } = pedido;
  const periods = firstPeriods(pedido, canal, ahora);
  const seconds = periods.reduce((sum, each) => sum + secondsOf(each), 0);
  const limits = LIMITS[canal];
  const count = (periodo: Periodo, limit: number): number => {
    const here = ((rows ?? 0) * secondsOf(periodo)) / seconds;
    const pieces = here <= limit ? null : divide({ canal, tipo, periodo });
    return 1 + (pieces ?? []).reduce((sum, piece) => sum + count(piece, limit), 0);
  };
  const of = (each: Contenido) => periods.reduce((sum, period) => sum + count(period, limits[each]), 0);
  return of('metadata') + (contenido === 'xml' ? of('xml') : 0);
}

/** Days that the portal takes to give the XML of so many rows, today included; `left` is the rest of today's quota. */
export const expectedDays = (rows: number, left: number): number =>
  rows <= left ? 1 : 1 + Math.ceil((rows - left) / XML_A_DAY);
