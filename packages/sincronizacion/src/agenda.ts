import { addDays, nextMonth } from '@acuse/core';

/** Months that a consent may last. */
export const MAX_MESES = 13;
/** Days that the cost of a month covers. */
export const DIAS_DEL_MES = 30;

/** How often the newest days are read. */
export const FRECUENCIAS = ['DIARIA', 'SEMANAL'] as const;
export type Frecuencia = (typeof FRECUENCIAS)[number];

/** A period that is read as a whole: the newest days, which move, or a calendar month. */
export type Tramo =
  | { readonly clase: 'RECIENTE' }
  | { readonly clase: 'MES' /** Its first day. */; readonly mes: string };

/** Days of CFDI that wait for their XML. */
export interface TramoXml {
  readonly clase: 'XML';
}

const DIAS: Readonly<Record<Frecuencia, number>> = { DIARIA: 1, SEMANAL: 7 };

/** Days that the newest ones are read once more: the SAT shows a CFDI up to 72 hours after it was certified. */
const DIAS_DE_GRACIA = 4;

/** Days after its first on which a month is read while it lasts: early cancellations happen in the same month. */
const DURANTE = [8, 15, 22] as const;

/** Days after its end on which a month is read again, thinning: most cancellations come in the first weeks. */
const DESPUES = [1, 4, 10, 20, 35, 60, 91, 121, 152, 183, 244, 305, 366, 427] as const;

/**
 * The last day on which a CFDI of this day may be cancelled: the end of April of the next year, when the annual return
 * of natural persons is due (CFF, article 29-A, fourth paragraph; RMF 2.7.1.47). Companies have until March.
 */
const ultimoDiaDeCancelar = (day: string) => `${Number(day.slice(0, 4)) + 1}-04-30`;

/** A month is read a last time when its cancellations have had time to show. Days after the last day for them. */
const DIAS_ULTIMA = 8;

const lastDayOf = (mes: string) => addDays(nextMonth(mes), -1);

/** The days on which a month is read, in order; the first reading, whenever it is, is none of them. */
function diasDe(mes: string): readonly string[] {
  const ultima = addDays(ultimoDiaDeCancelar(mes), DIAS_ULTIMA);
  const days = [
    ...DURANTE.map((days) => addDays(mes, days - 1)),
    ...DESPUES.map((days) => addDays(lastDayOf(mes), days)),
  ];
  return [...days.filter((day) => day < ultima), ultima];
}

/** Growing days until a month in question is read again; after the last the questions end. */
const CONFIRMAR = [7, 14, 28] as const;
/** Readings, at most, by which one is confirmed that is in question. */
export const MAX_CONFIRMACIONES = CONFIRMAR.length;

/**
 * The day on which a tramo is due again by the calendar after it was asked for on `leido`; null for a month whose
 * cancellations are over.
 */
export function siguienteLectura(tramo: Tramo, leido: string, frecuencia: Frecuencia): string | null {
  if (tramo.clase === 'RECIENTE') return addDays(leido, DIAS[frecuencia]);
  return diasDe(tramo.mes).find((day) => day > leido) ?? null;
}

/** A reading of a tramo, and what it brought. */
export interface Leido {
  /** The day on which it was asked for. */
  readonly dia: string;
  readonly frecuencia: Frecuencia;
  /** Nothing of the tramo was read before. */
  readonly isPrimera: boolean;
  readonly nuevos: number;
  /** Taken for missing by this reading. */
  readonly ausentes: number;
  readonly isDudosa: boolean;
  /** What the reading before it left in question, as {@link afterReading} gave it. */
  readonly porConfirmar: number;
}

/** Next reading of a tramo (null: none), and whether the last one is in question: 0 when it is not. */
export interface Siguiente {
  readonly dia: string | null;
  /** One more than the readings spent on the confirmation. */
  readonly porConfirmar: number;
}

/**
 * What follows a reading. The SAT leaves CFDI out at times, so one that took some for missing, or is doubted, is in
 * question; once the cancellations of a month are over, so is each that no earlier one agrees with: the first, and one
 * that brought new CFDI. A month in question is read once more after a week, then two, then four, where the calendar
 * does not ask for it before. Honest answers cost no reading but the second of a month that was over when it was read
 * first.
 */
export function afterReading(tramo: Tramo, leido: Leido): Siguiente {
  const { frecuencia, isPrimera, nuevos, ausentes, isDudosa, porConfirmar } = leido;
  const dia = siguienteLectura(tramo, leido.dia, frecuencia);
  // The reading of the month repeats the newest days.
  if (tramo.clase === 'RECIENTE') return { dia, porConfirmar: 0 };
  const isUnmatched = dia === null && (isPrimera || nuevos > 0);
  if (!isDudosa && ausentes === 0 && !isUnmatched) return { dia, porConfirmar: 0 };
  const spent = Math.max(0, porConfirmar - 1);
  const wait = CONFIRMAR[spent];
  const otra = wait === undefined ? null : addDays(leido.dia, wait);
  if (otra !== null && (dia === null || otra < dia)) return { dia: otra, porConfirmar: spent + 2 };
  return { dia, porConfirmar: dia === null ? spent + 1 : 1 };
}

/** The later of two days, and the earlier. */
export const later = (a: string, b: string) => (a > b ? a : b);
const earlier = (a: string, b: string) => (a < b ? a : b);

/** The days that a reading of a tramo on `hoy` asks for, both included; never before `desde`, nor after today. */
export function periodoDe(
  tramo: Tramo,
  { desde, hoy, frecuencia }: { desde: string; hoy: string; frecuencia: Frecuencia },
): { readonly desde: string; readonly hasta: string } {
  if (tramo.clase === 'RECIENTE')
    return { desde: earlier(hoy, later(desde, addDays(hoy, -(DIAS[frecuencia] + DIAS_DE_GRACIA - 1)))), hasta: hoy };
  return { desde: later(desde, tramo.mes), hasta: earlier(lastDayOf(tramo.mes), hoy) };
}

/** The months from that of `desde` to that of `hoy`, by their first days, the newest first. */
export function mesesDesde(desde: string, hoy: string): readonly string[] {
  const meses: string[] = [];
  for (let mes = `${desde.slice(0, 7)}-01`; mes <= hoy; mes = nextMonth(mes)) meses.push(mes);
  return meses.reverse();
}

/** A tramo of one kind of CFDI as a call of `sincronizacion/crear` leaves it. */
export interface PlannedTramo {
  readonly tramo: Tramo;
  /** AHORA: its reading is charged at once; EN_CURSO: it was charged before; FIN: it is read no more. */
  readonly turno: 'AHORA' | 'DESPUES' | 'EN_CURSO' | 'FIN';
  /** The day of that reading, `yyyy-MM-dd`; null for FIN. */
  readonly dia: string | null;
  /** Readings that were merged. */
  readonly lecturas: number;
  /** As {@link afterReading} returned it. */
  readonly porConfirmar: number;
}

/**
 * Readings of these tramos while the SAT answers honestly: those that are charged at once, and those that follow in the
 * days up to `hasta`, with the months that begin until then.
 */
export function countLecturas(
  tramos: readonly PlannedTramo[],
  { frecuencia, hoy, hasta }: { frecuencia: Frecuencia; hoy: string; hasta: string },
): { readonly primera: number; readonly despues: number } {
  const honest = { frecuencia, nuevos: 0, ausentes: 0, isDudosa: false };
  const begin = mesesDesde(nextMonth(hoy), hasta).map((mes): PlannedTramo => {
    const tramo = { clase: 'MES', mes } as const;
    const dia = siguienteLectura(tramo, mes, frecuencia);
    return { tramo, turno: 'DESPUES', dia, lecturas: 0, porConfirmar: 0 };
  });
  let despues = 0;
  // The newest days bring the months that begin.
  for (const planned of tramos.flatMap((each) => (each.tramo.clase === 'RECIENTE' ? [each, ...begin] : [each]))) {
    const { tramo, turno, lecturas } = planned;
    let { dia, porConfirmar } = planned;
    for (let read = lecturas; dia !== null && dia <= hasta; read += 1) {
      if (read > lecturas || turno === 'DESPUES') despues += 1;
      const next = afterReading(tramo, { ...honest, dia, isPrimera: read === 0, porConfirmar });
      dia = next.dia && later(next.dia, hoy);
      porConfirmar = next.porConfirmar;
    }
  }
  return { primera: tramos.filter(({ turno }) => turno === 'AHORA').length, despues };
}

/** Minutes of the day, of central Mexico, between which readings begin: what comes then is there in the morning. */
const PRIMER_MINUTO = 30;
const MINUTOS = 480;

/** The minute of the day at which the readings of a subscription are due: spread by its id over the small hours. */
export function minutoDe(id: string): number {
  return PRIMER_MINUTO + (Number.parseInt(id.slice(-6), 16) % MINUTOS);
}

/** When a tramo is due on a day: the clock of central Mexico is six hours behind all year. */
export const dueOn = (day: string, minuto: number): Date =>
  new Date(Date.parse(`${day}T00:00:00-06:00`) + minuto * 60_000);

/** What a new subscription reads: the months from `desde` at once, the newest days from tomorrow on. */
export const primerasLecturas = ({ desde, hoy, minuto }: { desde: string; hoy: string; minuto: number }) => ({
  meses: mesesDesde(desde, hoy),
  primeraReciente: dueOn(addDays(hoy, 1), minuto),
});
