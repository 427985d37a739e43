import { calendarDay, type TipoDescarga } from '@acuse/core';
import { csvOf, type FilaCfdi } from '../../integration/almacen/csv.ts';
import type { Random } from '../random.ts';
import type { Answered } from './mirror.ts';
import type { Questions } from './protocol.ts';
import type { Truth } from './truth.ts';

/** Whom the SAT has CFDI of. */
export interface Taxed {
  readonly truths: Readonly<Partial<Record<TipoDescarga, Truth>>>;
  /** Turn of the revocation of the consent; null while it holds. */
  revokedAfter: number | null;
  /** True while the SAT refuses the CIEC, until it is stored again. */
  isCiecRefused: boolean;
}

type Asked = Questions['sat']['of'];

/**
 * The SAT of the simulated year, with the storage of its packages: it is away for days, delays, gives up, reports no
 * CFDI falsely, or leaves rows out of one answer; more often for months whose cancellations are over, which only a
 * doubting agenda reads again. `answers` has its real answers.
 */
export function createSat(azar: Random, taxedOf: (rfc: string) => Taxed) {
  const answers = new Map<string, Answered & { readonly isLie: boolean }>();
  const waited = new Set<string>();
  const violations: string[] = [];
  let [now, isCalm, awayUntil] = [0, false, 0];
  const counts = { asked: 0, lies: 0, lastLies: 0, failures: 0, away: 0 };
  /** By taxpayer and kind: for each day the CFDI of its last answer, and the requested months. */
  const given = new Map<string, Map<string, string>>();
  const months = new Set<string>();

  /**
   * The answer about these rows: sometimes false. For a month whose cancellations are over it omits no CFDI twice in a
   * row: an equal falsehood twice cannot be told from the truth.
   */
  function said(filas: readonly FilaCfdi[], { rfc, tipo, desde, hasta }: Asked): readonly FilaCfdi[] {
    const who = `${rfc} ${tipo}`;
    const before = given.get(who) ?? new Map<string, string>();
    const isLast = calendarDay(new Date(now)) >= `${Number(desde.slice(0, 4)) + 1}-04-30`;
    const isAskedAgain = months.has(`${who} ${desde.slice(0, 7)}`);
    const roll = isCalm ? 1_000 : azar.below(isLast ? 200 : 1_000);
    const told = filas.filter(({ uuid }) => {
      const isLeftOut = roll < 15 || (roll < 35 && azar.below(2) === 0) || (roll < 45 && azar.below(30) === 0);
      return !isLeftOut || (isLast && isAskedAgain && !before.has(uuid));
    });
    if (isLast && told.length < filas.length) counts.lastLies += 1;
    for (const [uuid, day] of before) if (day >= desde && day <= hasta) before.delete(uuid);
    for (const { uuid, emitida } of told) before.set(uuid, emitida.slice(0, 10));
    given.set(who, before);
    for (const day of [desde, hasta]) months.add(`${who} ${day.slice(0, 7)}`);
    return told;
  }

  function answer(of: Asked): Questions['sat']['is'] {
    const { rfc, tipo, desde, hasta, solicitudId, since } = of;
    const taxed = taxedOf(rfc);
    counts.asked += 1;
    if (taxed.revokedAfter !== null && since > taxed.revokedAfter)
      violations.push(`${rfc} was read in turn ${since}, after ${taxed.revokedAfter}: nobody consents`);
    const before = answers.get(solicitudId);
    if (before !== undefined) return { resultado: 'LISTA', registros: before.filas.length };
    if (taxed.isCiecRefused) return { resultado: 'CIEC_RECHAZADA' };
    if (!isCalm) {
      if (now < awayUntil) {
        counts.away += 1;
        return { resultado: 'ESPERA', segundos: 7_200 };
      }
      const roll = azar.below(1_000);
      if (roll < 20) {
        counts.failures += 1;
        return { resultado: roll < 10 ? 'SAT_ERROR' : 'SAT_RECHAZADA' };
      }
      if (roll < 250 && !waited.has(solicitudId)) {
        waited.add(solicitudId);
        return { resultado: 'ESPERA', segundos: 60 + azar.below(20_000) };
      }
    }
    waited.delete(solicitudId);
    const real = taxed.truths[tipo]?.rows(desde, hasta, now) ?? [];
    const filas = said(real, of);
    const isLie = filas.length < real.length;
    if (isLie) counts.lies += 1;
    answers.set(solicitudId, { desde, hasta, filas, isLie });
    return { resultado: 'LISTA', registros: filas.length };
  }

  return {
    answer,
    counts,
    violations,
    /** What it said to a solicitud; it is kept no longer than it is asked for. */
    answers,
    async csv(solicitudId: string): Promise<string> {
      const chunks: Buffer[] = [];
      for await (const chunk of csvOf(answers.get(solicitudId)?.filas ?? [])) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
    setTime(at: number) {
      now = at;
    },
    goAway(until: number) {
      awayUntil = until;
    },
    /** From now on it tells the truth at once. */
    calm() {
      isCalm = true;
    },
  };
}
