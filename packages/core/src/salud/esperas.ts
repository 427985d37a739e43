import type { CanalSat } from '../credencial.ts';
import type { Modo } from '../ports/boveda.ts';
import type { TipoDescarga } from '../ports/metadata.ts';
import type { ClaimedSolicitud, Parte } from '../ports/solicitudes.ts';
import { wallClock } from '../solicitud/periodos.ts';
import { percentile, sumaDe } from './histograma.ts';

/** Weeks that waits are kept for. */
export const WEEKS_OF_ESPERAS = 4;
/** Downloads below which no duration is published. */
export const DESCARGAS_MINIMAS = 20;
/** Groups that accounts are counted in: so many of them there are at least. */
export const GRUPOS_DE_CUENTAS = 60;

/** How long the downloads of one kind took that were asked of the SAT in one hour of the day, of all days together. */
export interface SumaEsperas {
  readonly modo: Modo;
  readonly canal: CanalSat;
  readonly tipo: TipoDescarga;
  /** Hour of the day in central Mexico in which they were asked for, 0 to 23. */
  readonly hora: number;
  /** Whether they were asked for within the last day. */
  readonly isReciente: boolean;
  /** Each of another solicitud. */
  readonly descargas: number;
  /** A bit for each group that has an account among theirs. */
  readonly grupos: bigint;
  /** Histogram of seconds. */
  readonly cubetas: readonly number[];
}

/** How long downloads take. */
export interface ResumenEsperas {
  readonly medianaSegundos: number;
  readonly p90Segundos: number;
  /** Downloads that this rests on, at least: see {@link atLeast}. */
  readonly muestras: number;
}

/** How long a download is likely to take. */
export interface Estimacion {
  /** Eight of ten took between these, from asked of the SAT to ready. */
  readonly desdeMinutos: number;
  readonly hastaMinutos: number;
  readonly texto: string;
  readonly muestras: number;
}

/** What one asks of sums: those of one kind, of downloads that some account cannot be read from. */
export interface Minimos {
  /** Distinct accounts. */
  readonly cuentas: number;
}

/** The largest of 1, 2, 5, 10, 20, 50, … not above `n`: a caller who adds one request learns no number of others. */
export function atLeast(n: number): number {
  if (n < 1) return 0;
  const ten = 10 ** Math.floor(Math.log10(n));
  return ten * (n >= 5 * ten ? 5 : n >= 2 * ten ? 2 : 1);
}

const bitsOf = (grupos: bigint) => grupos.toString(2).replaceAll('0', '').length;

/** All of them together; null where a download or an account could be made out, or nothing can be said. */
function together(sumas: readonly SumaEsperas[], { cuentas }: Minimos): { n: number; cubetas: number[] } | null {
  const n = sumas.reduce((total, { descargas }) => total + descargas, 0);
  const grupos = sumas.reduce((all, suma) => all | suma.grupos, 0n);
  if (n < DESCARGAS_MINIMAS || bitsOf(grupos) < cuentas) return null;
  return { n, cubetas: sumaDe(sumas.map((suma) => suma.cubetas)) };
}

/** Median and p90 of the waits of `sumas`; null below the minima. */
export function resumenDe(sumas: readonly SumaEsperas[], minimos: Minimos): ResumenEsperas | null {
  const juntas = together(sumas, minimos);
  const [mediana, p90] = [0.5, 0.9].map((p) => (juntas === null ? null : percentile(juntas.cubetas, p)));
  if (juntas === null || mediana == null || p90 == null) return null;
  return { medianaSegundos: mediana, p90Segundos: p90, muestras: atLeast(juntas.n) };
}

/** Hour of the day in central Mexico. */
export const horaDelDia = (instant: Date): number => Number(wallClock(instant).slice(11, 13));

/** Whether `hora` is the hour of the day `de`, or the one before or after it. */
export const isNear = (hora: number, de: number): boolean => [0, 1, 23].includes((hora - de + 24) % 24);

/**
 * How long a solicitud that was accepted at `creadaEn` is likely to wait for the SAT, by those of its kind that were
 * asked for at that hour of the day, one more or one less; where they are too few, at any hour; where these are too
 * few, null.
 */
export function estimacionDe(
  esperas: readonly SumaEsperas[],
  de: { readonly modo: Modo; readonly canal: CanalSat; readonly tipo: TipoDescarga; readonly creadaEn: Date },
  minimos: Minimos,
): Estimacion | null {
  const suyas = esperas.filter(({ modo, canal, tipo }) => modo === de.modo && canal === de.canal && tipo === de.tipo);
  const hora = horaDelDia(de.creadaEn);
  const near = together(
    suyas.filter((suma) => isNear(suma.hora, hora)),
    minimos,
  );
  const juntas = near ?? together(suyas, minimos);
  if (juntas === null) return null;
  const [p10 = 0, p90 = 0] = [0.1, 0.9].map((p) => (percentile(juntas.cubetas, p) ?? 0) / 60);
  const desdeMinutos = rounded(p10, Math.floor);
  const hastaMinutos = Math.max(1, rounded(p90, Math.ceil));
  const cuando = near === null ? '' : ' pedidas a esa hora';
  return {
    desdeMinutos,
    hastaMinutos,
    texto: `El SAT suele tener listas las descargas como esta${cuando} ${duration(desdeMinutos, hastaMinutos)} después de pedírselas.`,
    muestras: atLeast(juntas.n),
  };
}

/** Minutes as one would say them: the longer, the coarser. */
function rounded(minutos: number, to: (n: number) => number): number {
  const paso = minutos < 20 ? 1 : minutos < 120 ? 5 : minutos < 600 ? 30 : 60;
  return to(minutos / paso) * paso;
}

function duration(desde: number, hasta: number): string {
  const [unidad, en] = hasta <= 120 ? (['minutos', 1] as const) : (['horas', 60] as const);
  const [a, b] = [desde, hasta].map((minutos) => formatCantidad(minutos / en)) as [string, string];
  if (hasta <= 1) return 'un minuto o menos';
  if (a === '0') return `a lo más ${b} ${unidad}`;
  return a === b ? `unos ${b} ${unidad}` : `de ${a} a ${b} ${unidad}`;
}

const formatCantidad = (n: number) => String(Math.round(n * 2) / 2);

/**
 * True when `parteId` is the last part of a solicitud to become ready at the SAT: its wait is then known. Parts without
 * CFDI, which are asked again later on purpose, do not count; a solicitud with a repeated request has no usual wait.
 */
export function isEsperaCumplida({ partes }: Pick<ClaimedSolicitud, 'partes'>, parteId: string): boolean {
  const propias = partes.filter(({ vacias }) => vacias.length === 0);
  const isLista = ({ id, estado }: Parte) =>
    id === parteId ? estado === 'SOLICITADA' : estado === 'DISPONIBLE' || estado === 'DESCARGADA';
  return propias.some(({ id }) => id === parteId) && propias.every((parte) => parte.reenvios === 0 && isLista(parte));
}
