import type { CanalSat } from './credencial.ts';
import type { Contenido, Filtros, Periodo, TipoDescarga } from './ports/metadata.ts';
import type { ResumenPaquete } from './ports/paquetes.ts';
import { divide, periodosIniciales, toSeconds } from './solicitud/periodos.ts';
import { XML_A_DAY } from './xml/xml.ts';

/** A finished solicitud, by which another one is estimated. */
export interface Terminada {
  /** Calendar days, `yyyy-MM-dd`. */
  readonly desde: string;
  readonly hasta: string;
  readonly contenido: Contenido;
  /** What narrowed it by more than the estimated one: none. */
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
  readonly filtros: Filtros | null;
}

/** Most rows of one request at the SAT (web service, version 1.5), and of one search in the portal, which shows 500. */
const LIMITS = { soap: { metadata: 1_000_000, xml: 200_000 }, portal: { metadata: 1_000_000, xml: 499 } } as const;

/** Bytes in a package: of a row of metadata in the rows and in the SAT's own file, and of an XML of 5 KB, deflated. */
const USUAL = { metadata: 200, xml: 1_000 } as const;

const DAY = 86_400;
const secondsOf = ({ inicio, fin }: Periodo) => toSeconds(fin) - toSeconds(inicio) + 1;

/** The days of `desde` to `hasta` by month, `yyyy-MM`. */
function daysByMonth(desde: string, hasta: string): Map<string, number> {
  const days = new Map<string, number>();
  const last = toSeconds(`${hasta}T00:00:00`);
  for (let at = toSeconds(`${desde}T00:00:00`); at <= last; at += DAY) {
    const month = new Date(at * 1_000).toISOString().slice(0, 7);
    days.set(month, (days.get(month) ?? 0) + 1);
  }
  return days;
}

/** Rows of a month of an earlier solicitud; those of one kind alone where the estimated one asks for no other. */
function rowsOf({ resumen, filtros }: Terminada, month: string, asked: Filtros | null): number {
  const counts = resumen.porMes[month] ?? {};
  const only = filtros === null ? asked?.tipo_comprobante : undefined;
  if (only !== undefined) return counts[only] ?? 0;
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

/**
 * Rows that the SAT is likely to have: of each month those of the solicitud with most days of it, the newest of equals,
 * by the day; of a month that none had, as many a day as in the others. Null without any.
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

/** Bytes of the package: as many for a row as in the newest one with that content that had rows; else the usual ones. */
export function expectedBytes(
  rows: number,
  terminadas: readonly Terminada[],
  { contenido }: Pick<PorEstimar, 'contenido'>,
): number {
  const like = terminadas.find((each) => each.contenido === contenido && each.registros > 0 && each.bytes !== null);
  if (like?.bytes != null) return Math.round((like.bytes / like.registros) * rows);
  return rows * (contenido === 'xml' ? USUAL.metadata + USUAL.xml : USUAL.metadata);
}

/** Periods that a content is first asked for by. */
export const firstPeriods = ({ desde, hasta, tipo }: PorEstimar, canal: CanalSat, ahora: Date): Periodo[] =>
  periodosIniciales({ canal, tipo, desde, hasta, ahora });

/**
 * Requests at the SAT: of each content and period one, and where it has too many rows those of its pieces as well. For
 * rows that are not known, without division.
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

/** Days until the portal has given the XML of so many rows, today included, when `left` are left of today's quota. */
export const expectedDays = (rows: number, left: number): number =>
  rows <= left ? 1 : 1 + Math.ceil((rows - left) / XML_A_DAY);
