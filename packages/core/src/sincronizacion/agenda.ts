import { addDays, nextMonth } from '../solicitud/periodos.ts';

/** How often the newest days are read. */
export const FRECUENCIAS = ['DIARIA', 'SEMANAL'] as const;
export type Frecuencia = (typeof FRECUENCIAS)[number];

/** A period that is read as a whole: the newest days, which move, or a calendar month. */
export type Tramo =
  | { readonly clase: 'RECIENTE' }
  | { readonly clase: 'MES' /** Its first day. */; readonly mes: string };

const DIAS: Readonly<Record<Frecuencia, number>> = { DIARIA: 1, SEMANAL: 7 };

/** Days that the newest ones are read once more: the SAT shows a CFDI up to 72 hours after it was certified. */
const DIAS_DE_GRACIA = 4;

/** Days after its first on which a month is read while it lasts: what is cancelled soon is cancelled in its month. */
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

/**
 * The day on which a tramo is due again after it was asked for on `leido`; null for a month whose cancellations are
 * over, which is read no more.
 */
export function siguienteLectura(tramo: Tramo, leido: string, frecuencia: Frecuencia): string | null {
  if (tramo.clase === 'RECIENTE') return addDays(leido, DIAS[frecuencia]);
  return diasDe(tramo.mes).find((day) => day > leido) ?? null;
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

/**
 * Readings of one kind of CFDI: those that the first load needs, and those that follow in the days up to `hasta`, the
 * months that begin until then included.
 */
export function countLecturas(
  { desde, frecuencia }: { desde: string; frecuencia: Frecuencia },
  { hoy, hasta }: { hoy: string; hasta: string },
): { readonly primera: number; readonly despues: number } {
  const meses = mesesDesde(desde, hoy);
  let despues = 0;
  const countFrom = (tramo: Tramo, leido: string) => {
    for (let day = siguienteLectura(tramo, leido, frecuencia); day !== null && day <= hasta; ) {
      despues += 1;
      day = siguienteLectura(tramo, day, frecuencia);
    }
  };
  countFrom({ clase: 'RECIENTE' }, hoy);
  for (const mes of meses) countFrom({ clase: 'MES', mes }, hoy);
  for (let mes = nextMonth(hoy); mes <= hasta; mes = nextMonth(mes)) countFrom({ clase: 'MES', mes }, mes);
  // The newest days are part of the month that is read first.
  return { primera: meses.length, despues };
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
